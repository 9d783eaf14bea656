import { queryOptions } from '@tanstack/react-query';
import { areaList, sandboxRead } from '../api/gen/sdk.gen';

/** One sandbox and what may be done to it. */
export function sandbox(org: string, sbx: string) {
  return queryOptions({ queryKey: ['sandbox', org, sbx], queryFn: ({ signal }) => sandboxRead({ path: { org, sbx }, signal }) });
}

/** The areas of a sandbox. */
export function areas(org: string, sbx: string) {
  return queryOptions({ queryKey: ['sandbox', org, sbx, 'areas'], queryFn: ({ signal }) => areaList({ path: { org, sbx }, signal }) });
}
