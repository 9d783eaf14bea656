import { queryOptions } from '@tanstack/react-query';
import { waitList } from '../api/gen/sdk.gen';

/** What waits in an organisation. */
export function waits(org: string) {
  return queryOptions({
    queryKey: ['organisation', org, 'waits'],
    queryFn: ({ signal }) => waitList({ path: { org }, signal }),
    refetchInterval: 30_000,
  });
}
