import { Stack, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OrganisationEntry } from '../api/gen/types.gen';
import { Loading } from '../ui/Async';
import { DataTable } from '../ui/DataTable';
import { ProblemAlert } from '../ui/ProblemAlert';
import { RouteLink } from '../ui/RouteLink';
import { readRecords, recordsKey } from './queries';
import { useRecordColumns } from './useRecordColumns';

const shown = 10;

/** What happened lately in all my organisations, as far as I may see it. */
export function RecentRecords({ organisations }: { organisations: OrganisationEntry[] }) {
  const { t } = useTranslation();
  const { rows, loading, error } = useQueries({
    queries: organisations.map(({ id }) => ({
      queryKey: [...recordsKey({ org: id }), 'recent'],
      queryFn: ({ signal }: { signal: AbortSignal }) => readRecords({ org: id }, {}, undefined, signal, shown),
    })),
    combine: (results) => ({
      rows: results
        .flatMap(({ data }, index) => data?.items.map((record) => ({ ...record, org: organisations[index]?.id ?? '' })) ?? [])
        .sort((a, b) => b.at.localeCompare(a.at))
        .slice(0, shown),
      loading: results.some(({ isPending }) => isPending),
      error: results.find((result) => result.error)?.error,
    }),
  });
  const places = new Map(rows.map(({ id, org }) => [id, org]));
  const columns = useRecordColumns((record, text) => (
    <RouteLink to="/organisations/$org/audit" params={{ org: places.get(record.id) ?? '' }} search={{ record: record.id }}>
      {text}
    </RouteLink>
  ));
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('home.recent')}
      </Title>
      <Stack>
        {error && <ProblemAlert error={error} />}
        {loading ? (
          <Loading />
        ) : (
          <DataTable label={t('home.recent')} rows={rows} columns={columns} rowKey={(row) => row.id} empty={t('audit.empty')} />
        )}
      </Stack>
    </section>
  );
}
