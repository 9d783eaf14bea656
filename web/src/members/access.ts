import type { Agents, Tier } from '../api/gen/types.gen';

/** How many area names one list may hold. */
export const areaLimit = 20;

/** The answers as they are granted; what is absent takes the role's meaning. */
export type Row = { role: string; areas?: string[] | null; agents?: Agents | null; edit?: 'all' | string[] | null };

/** What a row comes to. `see: null` is the whole workspace. */
export type Access = { manage: boolean; agents: Agents; see: string[] | null; edit: 'all' | 'none' | string[] };

/** Why a grant is refused: the name of a text, and the areas it is about. */
export type Refusal = { reason: 'chatNeedsArea' | 'editAllWithAreas' | 'editEmpty' | 'editUnseen' | 'tooManyAreas'; areas?: string[] };

/** The access that a row comes to. */
export function resolve(row: Row): Access {
  if (row.role === 'maintainer') return { manage: true, agents: 'run', see: null, edit: 'all' };
  const agents = row.agents ?? meant(row.role);
  const see = row.areas ?? null;
  return { manage: false, agents, see, edit: agents === 'chat' ? 'none' : (row.edit ?? editMeant(row)) };
}

function meant(role: string): Agents {
  if (role === 'guest') return 'chat';
  return role === 'viewer' ? 'off' : 'run';
}

function editMeant(row: Row): 'none' | string[] {
  return row.role === 'writer' && row.areas ? row.areas : 'none';
}

/** The tier that an access adds up to. */
export function tier(access: Access): Tier {
  if (access.manage) return 'maintainer';
  if (access.agents === 'chat') return 'guest';
  if (access.edit !== 'none') return 'writer';
  return access.agents === 'run' ? 'collaborator' : 'viewer';
}

/** Why an access cannot be granted, or nothing. The server decides the same; this only tells it sooner. */
export function refusal(access: Access): Refusal | undefined {
  if (access.manage) return undefined;
  const { agents, see, edit } = access;
  if (agents === 'chat' && !see?.length) return { reason: 'chatNeedsArea' };
  if (edit === 'all' && see) return { reason: 'editAllWithAreas' };
  if (Array.isArray(edit)) {
    if (edit.length === 0) return { reason: 'editEmpty' };
    const unseen = see ? edit.filter((area) => !see.includes(area)) : [];
    if (unseen.length > 0) return { reason: 'editUnseen', areas: unseen };
    if (edit.length > areaLimit) return { reason: 'tooManyAreas' };
  }
  return see && see.length > areaLimit ? { reason: 'tooManyAreas' } : undefined;
}
