import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../api/problem';
import { AccessEnded } from './AccessEnded';
import { Loading } from './Async';
import { PageHead } from './PageHead';
import { ProblemAlert } from './ProblemAlert';
import { RouteLink } from './RouteLink';

type Props<T> = { query: UseQueryResult<T, Error>; ended: boolean; children: (data: T) => ReactNode };

/** The pages of one organisation or sandbox, once it is known to be there and for as long as one may see it. */
export function Place<T>({ query: { data, error, refetch }, ended, children }: Props<T>) {
  const { t } = useTranslation();
  if (ended) return <AccessEnded />;
  if (data !== undefined) return <>{children(data)}</>;
  if (!error) return <Loading />;
  const missing = error instanceof ProblemError && error.status === 404;
  return (
    <Stack>
      <PageHead title={t(missing ? 'missing.title' : 'problem.page')} about={missing ? t('missing.about') : undefined} />
      {!missing && <ProblemAlert error={error} retry={() => void refetch()} />}
      <RouteLink to="/">{t('home.title')}</RouteLink>
    </Stack>
  );
}
