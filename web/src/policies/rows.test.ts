import { expect, test } from 'vitest';
import type { Policy } from '../api/gen/types.gen';
import { ruleOf, toDocument, toRows } from './rows';

test('a document that nobody edits is sent as it was', () => {
  const document: Policy = {
    version: 1,
    rules: [
      { action: 'member.*', decision: 'deny', priority: 10, reason: 'frozen' },
      { action: 'member.remove', decision: 'confirm', priority: 20, requires: 2 },
    ],
  };
  expect(toDocument(toRows(document))).toEqual(document);
});

test('empty reasons and blanks around a name are not sent', () => {
  expect(toDocument([{ key: 'a', action: ' * ', decision: 'allow', priority: 0, reason: ' ', requires: null }])).toEqual({
    version: 1,
    rules: [{ action: '*', decision: 'allow', priority: 0 }],
  });
});

test('a problem is found at its rule', () => {
  expect(ruleOf('/rules/3/decision')).toBe(3);
  expect(ruleOf('/document/rules/12')).toBe(12);
  expect(ruleOf('/rules')).toBeUndefined();
});
