import { describe, expect, test } from 'vitest';
import type { Tier } from '../api/gen/types.gen';
import en from '../i18n/en.json';
import { type Access, areaLimit, type Row, refusal, resolve, tier } from './access';
import { blank, fromRow, preset, toGrant } from './draft';
import vectors from './vectors/member-access.json';

describe('a stored row', () => {
  test.each(vectors.resolve)('$row', ({ row, access }) => {
    expect(resolve(row as Row)).toEqual(access);
  });
});

describe('the tier of an access', () => {
  test.each(vectors.tier)('$tier', ({ access, tier: expected }) => {
    expect(tier(access as Access)).toBe(expected);
  });
});

describe('a refusal', () => {
  test.each(vectors.refuse)('$access', ({ access, refused, mentions = [] }) => {
    const found = refusal(access as Access);
    expect(found !== undefined).toBe(refused);
    const text = found ? `${en.access.refused[found.reason]} ${found.areas?.join()}` : '';
    for (const mention of mentions) expect(text).toContain(mention);
  });
});

describe('a grant', () => {
  // What a credential reach allows is the server's to say: this console does not set one.
  test.each(vectors.grant.filter(({ grant }) => !('credentials' in grant)))('$grant', ({ grant, refused }) => {
    const access = resolve(grant as Row);
    expect(tier(access) !== grant.role || refusal(access) !== undefined).toBe(refused);
  });
});

test('lists of areas are as long as the contract says', () => {
  expect(areaLimit).toBe(vectors.limits.areas);
  const many = Array.from({ length: areaLimit + 1 }, (_, index) => `a${index}`);
  expect(refusal({ manage: false, agents: 'run', see: many, edit: 'none' })?.reason).toBe('tooManyAreas');
  expect(refusal({ manage: false, agents: 'run', see: null, edit: many })?.reason).toBe('tooManyAreas');
});

describe('the editor', () => {
  const tiers: Tier[] = ['guest', 'viewer', 'collaborator', 'writer', 'maintainer'];
  test.each(tiers)('choosing %s makes that tier, and what is sent reads back as it was', (role) => {
    for (const see of [null, ['web']]) {
      const access = preset(role, { ...blank.access, see });
      expect(tier(access)).toBe(role);
      const sent = toGrant({ access, emailSignIn: true });
      expect(sent.role).toBe(role);
      expect(fromRow(sent)).toEqual({ access, emailSignIn: true });
    }
  });
});
