import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/**
 * Follows the trail: each new record has the list read afresh, at most once a second, so that filters and order stay the
 * server's. Answers whether the stream is open.
 */
export function useTail(org: string, key: readonly unknown[], live: boolean): boolean {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const refresh = useThrottledCallback(() => void queries.invalidateQueries({ queryKey: key }), 1_000);
  useEffect(() => {
    if (!live) return;
    const source = new EventSource(`/api/v1/organisations/${org}/audit/tail`);
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    source.addEventListener('record', refresh);
    return () => {
      source.close();
      setOpen(false);
    };
  }, [org, live, refresh]);
  return open;
}
