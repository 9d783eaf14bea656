import type { QueryClient } from '@tanstack/react-query';

/** Drops everything that was read of an organisation or sandbox. Ids are unguessable, so a key that holds one is about it. */
export function forget(queries: QueryClient, place: string): void {
  queries.removeQueries({ predicate: ({ queryKey }) => JSON.stringify(queryKey).includes(place) });
  void queries.invalidateQueries({ queryKey: ['session'] });
}
