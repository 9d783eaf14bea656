import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Async } from '../ui/Async';
import { PageHead } from '../ui/PageHead';
import { SearchBox } from '../ui/SearchBox';
import { waits } from './queries';
import { WaitTable } from './WaitTable';

/** Everything that waits, or lately waited, in an organisation. */
export function WaitsPage({ org }: { org: string }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const query = useQuery(waits(org));
  const fits = (text: string) => text.toLocaleLowerCase().includes(search.toLocaleLowerCase());
  return (
    <Stack>
      <PageHead title={t('nav.waits')} about={t('waits.about')} />
      <Group>
        <SearchBox value={search} onSearch={setSearch} />
      </Group>
      <Async query={query}>
        {({ items }) => (
          <WaitTable
            rows={items
              .filter(({ description, proposedBy }) => fits(description) || fits(proposedBy.name ?? ''))
              .map((wait) => ({ organisation: { id: org }, wait }))}
            empty={search ? t('list.nothingFound') : t('waits.nothing')}
          />
        )}
      </Async>
    </Stack>
  );
}
