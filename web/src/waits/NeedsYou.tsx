import { Stack, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OrganisationEntry } from '../api/gen/types.gen';
import { Loading } from '../ui/Async';
import { ProblemAlert } from '../ui/ProblemAlert';
import { waits } from './queries';
import { WaitTable } from './WaitTable';

/** What waits for me, over all organisations. */
export function NeedsYou({ organisations }: { organisations: OrganisationEntry[] }) {
  const { t } = useTranslation();
  const { rows, loading, error } = useQueries({
    queries: organisations.map(({ id }) => waits(id)),
    combine: (results) => ({
      rows: results.flatMap(({ data }, index) => {
        const organisation = organisations[index];
        if (!data || !organisation) return [];
        return data.items
          .filter(({ state, mayApprove, mine }) => state === 'open' && (mayApprove || mine))
          .map((wait) => ({ organisation, wait }));
      }),
      loading: results.some(({ isPending }) => isPending),
      error: results.find((result) => result.error)?.error,
    }),
  });
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('waits.title')}
      </Title>
      <Stack>
        {error && <ProblemAlert error={error} />}
        {loading ? <Loading rows={2} /> : <WaitTable rows={rows} empty={t('waits.nothing')} />}
      </Stack>
    </section>
  );
}
