import { auditList } from '../api/gen/sdk.gen';
import type { Filters } from './filters';

/** Where records are looked for: an organisation, or one of its sandboxes. */
export type Where = { org: string; sbx?: string };

/** The key under which the lists of a place are kept. */
export function recordsKey({ org, sbx }: Where): readonly unknown[] {
  return sbx ? ['sandbox', org, sbx, 'audit'] : ['organisation', org, 'audit'];
}

/** One page of records, newest first. */
export function readRecords(
  { org, sbx }: Where,
  { record: _, ...filters }: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
  limit?: number,
) {
  return auditList({ path: { org }, query: { ...filters, sandbox: sbx, cursor, limit }, signal });
}
