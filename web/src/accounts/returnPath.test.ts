import { expect, test } from 'vitest';
import { fromFragment, toFragment } from './returnPath';

test('a path comes back whole, with its own fragment', () => {
  expect(fromFragment(`#${toFragment('/invitation#abc?x=1')}`)).toBe('/invitation#abc?x=1');
});

test.each(['', '#', '#https://evil.example', '#//evil.example', '#/%5Cevil.example', '#%E0%A4%A'])('%s leads home', (fragment) => {
  expect(fromFragment(fragment)).toBe('/');
});
