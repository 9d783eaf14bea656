import { queryOptions } from '@tanstack/react-query';
import { waitList } from '../api/gen/sdk.gen';

/** What waits in an organisation: the latest page is enough for the home page. */
export function waits(org: string) {
  return queryOptions({
    queryKey: ['organisation', org, 'waits'],
    queryFn: ({ signal }) => waitList({ path: { org }, query: { limit: 200 }, signal }),
    refetchInterval: 30_000,
  });
}
