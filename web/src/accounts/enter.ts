import type { QueryClient } from '@tanstack/react-query';
import type { Self } from '../api/gen/types.gen';
import { session } from './session';

/** Somebody has just signed in: what was read for anybody else is dropped, apart from the link on the screen. */
export function enter(queries: QueryClient, self: Self): void {
  queries.removeQueries({ type: 'inactive' });
  queries.setQueryData(session.queryKey, self);
}
