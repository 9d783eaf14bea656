import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from './ProblemAlert';

/** What was read, or that it is being read, or why it could not be. */
export function Async<T>({ query, children }: { query: UseQueryResult<T, Error>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

/** Grey bars in place of what is on its way. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <Skeleton key={row} height={28} radius="sm" />
      ))}
    </Stack>
  );
}
