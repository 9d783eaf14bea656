import { useInfiniteQuery } from '@tanstack/react-query';

/** One page of a list and the cursor of the next. */
export type Page<T> = { items: T[]; nextCursor?: string | null };

/** A list that is read page by page. `key` names its organisation and sandbox, so that all of them can be dropped at once. */
export function usePages<T, P extends Page<T> = Page<T>>(
  key: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<P & Page<T>>,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return {
    rows: query.data?.pages.flatMap((page) => page.items) ?? [],
    /** What the first page says beside its rows. */
    first: query.data?.pages[0],
    loading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    loadingMore: query.isFetchingNextPage,
  };
}

/** What a page table shows. */
export type Pages<T> = {
  rows: T[];
  loading: boolean;
  error: Error | null;
  retry: () => void;
  more: (() => void) | undefined;
  loadingMore: boolean;
};
