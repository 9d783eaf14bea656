import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { forget } from './forget';

/**
 * Listens whether the person's access to one place is taken away. When it is, what was read of the place is dropped at
 * once and `true` is answered for as long as that place is shown.
 */
export function useWatch(org: string, sbx?: string): boolean {
  const queries = useQueryClient();
  const place = sbx ?? org;
  const [ended, setEnded] = useState<string>();
  useEffect(() => {
    const source = new EventSource(`/api/v1/organisations/${org}${sbx ? `/sandboxes/${sbx}` : ''}/watch`);
    source.addEventListener('revoked', () => {
      source.close();
      setEnded(place);
      forget(queries, place);
    });
    return () => source.close();
  }, [org, sbx, place, queries]);
  return ended === place;
}
