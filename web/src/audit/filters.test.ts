import { expect, test } from 'vitest';
import { filters, fromField, toField } from './filters';

test('an address gives its filters and nothing else', () => {
  expect(filters({ action: 'member.*', search: 42, other: 'x', actor: '', record: { a: 1 } })).toEqual({
    action: 'member.*',
    search: '42',
  });
});

test('a moment survives its field to the minute', () => {
  expect(fromField(toField('2026-12-01T02:03:00.000Z'))).toBe('2026-12-01T02:03:00.000Z');
  expect(toField('rubbish')).toBe('');
  expect(fromField('')).toBeUndefined();
});
