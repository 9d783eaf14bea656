import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { sessionRead } from '../api/gen/sdk.gen';
import type { Self } from '../api/gen/types.gen';

/** Who is signed in and what they can open. */
export const session = queryOptions<Self>({
  queryKey: ['session'],
  queryFn: ({ signal }) => sessionRead({ signal }),
  retry: false,
  staleTime: 30_000,
});

/** The signed-in person. Only on pages inside the signed-in layout, which reads it before it shows them. */
export function useSession(): Self {
  return useSuspenseQuery(session).data;
}
