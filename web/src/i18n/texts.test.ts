import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import description from '../../../openapi/console.json';
import en from './en.json';
import pl from './pl.json';
import { actions } from './texts';

type Texts = { [key: string]: string | Texts };

function flat(texts: Texts, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'string' ? [[`${path}${key}`, value] as const] : [...flat(value, `${path}${key}.`)],
    ),
  );
}

const plural = /_(zero|one|two|few|many|other)$/;
const english = flat(en);
const polish = flat(pl);
const bare = (texts: Map<string, string>) => [...new Set([...texts.keys()].map((key) => key.replace(plural, '')))].sort();
const holes = (text: string) => [...text.matchAll(/{{(\w+)}}/g)].map((hole) => hole[1]).sort();

test('both languages have the same keys', () => {
  expect(bare(polish)).toEqual(bare(english));
});

test.each([
  ['English', english, 'en'],
  ['Polish', polish, 'pl'],
] as const)('%s has every plural that it needs, and no empty text', (_, texts, language) => {
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const key of texts.keys()) {
    expect(texts.get(key), key).not.toBe('');
    if (!key.endsWith('_other')) continue;
    for (const category of categories) expect(texts.has(key.replace(/other$/, category)), `${key} ${category}`).toBe(true);
  }
});

test('a text has the same holes in both languages', () => {
  for (const [key, text] of polish) {
    const other = english.get(key) ?? english.get(key.replace(plural, '_other')) ?? '';
    expect(holes(text), key).toEqual(holes(other));
  }
});

describe('every problem code has a text', () => {
  test.each(description.components.schemas.Code.enum)('%s', (code) => {
    expect(en.code).toHaveProperty(code);
    expect(pl.code).toHaveProperty(code);
  });
});

test('every action of the vocabulary has a text, and nothing else has', () => {
  const table = readFileSync(new URL('../../../docs/actions.md', import.meta.url), 'utf8');
  const named = [...new Set([...table.matchAll(/^\| `([a-z_.]+)` \|/gm)].map((line) => line[1]))];
  expect(named.length).toBeGreaterThan(50);
  expect([...actions].sort()).toEqual(named.sort());
});
