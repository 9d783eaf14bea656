import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { recordsKey, type Where } from './queries';

/**
 * Follows the trail: each new record has the list read afresh, at most once a second, so that filters and order stay the
 * server's. Answers whether the stream is open.
 */
export function useTail({ org, sbx }: Where, live: boolean): boolean {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const refresh = useThrottledCallback(() => void queries.invalidateQueries({ queryKey: recordsKey({ org, sbx }) }), 1_000);
  useEffect(() => {
    if (!live) return;
    const source = new EventSource(`/api/v1/organisations/${org}/audit/tail${sbx ? `?sandbox=${sbx}` : ''}`);
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    source.addEventListener('record', refresh);
    // The place's own stream tells of it too, and drops what was read.
    source.addEventListener('revoked', () => source.close());
    return () => {
      source.close();
      setOpen(false);
    };
  }, [org, sbx, live, refresh]);
  return open;
}
