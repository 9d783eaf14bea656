import { queryOptions } from '@tanstack/react-query';
import { organisationRead } from '../api/gen/sdk.gen';

/** One organisation and what may be done to it. */
export function organisation(org: string) {
  return queryOptions({ queryKey: ['organisation', org], queryFn: ({ signal }) => organisationRead({ path: { org }, signal }) });
}
