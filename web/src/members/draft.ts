import type { Agents, Tier } from '../api/gen/types.gen';
import { type Access, type Row, resolve, tier } from './access';

/** A grant while it is being put together: four answers, and whether e-mail codes open the sandbox. */
export type Draft = { access: Access; emailSignIn: boolean };

/** What a new grant starts from. */
export const blank: Draft = { access: { manage: false, agents: 'off', see: null, edit: 'none' }, emailSignIn: false };

/** What a role stands for, keeping the areas that are chosen already where the role can be fenced. */
export function preset(role: Tier, before: Access): Access {
  if (role === 'maintainer') return resolve({ role });
  const see = role === 'guest' ? (before.see ?? []) : before.see;
  const edit = role === 'writer' ? (see ?? 'all') : 'none';
  const agents: Agents = role === 'guest' ? 'chat' : role === 'viewer' ? 'off' : 'run';
  return { manage: false, agents, see, edit };
}

/** The draft of a row that exists. */
export function fromRow(row: Row & { emailSignIn?: boolean | null }): Draft {
  return { access: resolve(row), emailSignIn: row.emailSignIn ?? false };
}

/** What is sent: the role is always the tier that the answers make, and what an answer does not need stays away. */
export function toGrant({ access, emailSignIn }: Draft) {
  const role = tier(access);
  if (role === 'maintainer') return { role, emailSignIn };
  return {
    role,
    agents: access.agents,
    ...(access.see ? { areas: access.see } : {}),
    ...(access.edit !== 'none' && role !== 'guest' ? { edit: access.edit } : {}),
    emailSignIn,
  };
}
