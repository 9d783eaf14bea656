import { queryOptions } from '@tanstack/react-query';
import { organisationList, organisationRead } from '../api/gen/sdk.gen';

/** One organisation and what may be done to it. */
export function organisation(org: string) {
  return queryOptions({ queryKey: ['organisation', org], queryFn: ({ signal }) => organisationRead({ path: { org }, signal }) });
}

/** The first page of the organisations that one belongs to: enough for the home page. */
export const myOrganisations = queryOptions({
  queryKey: ['organisations'],
  queryFn: ({ signal }) => organisationList({ query: { limit: 200 }, signal }),
});
