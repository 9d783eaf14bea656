const names = ['search', 'actor', 'action', 'target', 'outcome', 'decision', 'from', 'to', 'record'] as const;

/** What the explorer is narrowed to, and the record that is open. It lives in the address, so that it can be sent on. */
export type Filters = { [name in (typeof names)[number]]?: string };

/** Takes the filters from an address, leaving out whatever is not one. */
export function filters(search: Record<string, unknown>): Filters {
  const found: Filters = {};
  for (const name of names) {
    const value = search[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[name] = String(value);
  }
  return found;
}

/** A moment as a `datetime-local` field shows it: the reader's own clock, to the minute. */
export function toField(at: string | undefined): string {
  const date = at ? new Date(at) : undefined;
  if (!date || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The moment that a `datetime-local` field names, in UTC. */
export function fromField(value: string): string | undefined {
  const date = new Date(value);
  return value && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}
