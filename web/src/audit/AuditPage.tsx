import { Group, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../api/pages';
import { Guarded } from '../ui/Guarded';
import { PageHead } from '../ui/PageHead';
import { Checkpoint } from './Checkpoint';
import { FilterBar } from './FilterBar';
import type { Filters } from './filters';
import { readRecords, recordsKey } from './queries';
import { RecordDrawer } from './RecordDrawer';
import { RecordTable } from './RecordTable';
import { useTail } from './useTail';
import { VerifyPanel } from './VerifyPanel';

type Props = { org: string; sbx?: string; search: Filters; change: (search: Filters) => void };

/** The audit trail of an organisation or a sandbox: look, follow, read one record in full, verify. */
export function AuditPage({ org, sbx, search, change }: Props) {
  const { t } = useTranslation();
  const [live, setLive] = useState(false);
  const { record, ...narrowed } = search;
  const key = recordsKey({ org, sbx });
  const pages = usePages([...key, narrowed], (cursor, signal) => readRecords({ org, sbx }, narrowed, cursor, signal));
  const following = useTail({ org, sbx }, live);
  return (
    <Stack>
      <PageHead title={t('nav.audit')} about={t('audit.about')}>
        <Switch
          label={t('audit.live')}
          checked={live}
          onChange={(event) => setLive(event.currentTarget.checked)}
          description={live ? t(following ? 'audit.following' : 'audit.connecting') : undefined}
        />
      </PageHead>
      <Guarded org={org} action="audit.verify" about={t('verify.title')}>
        <Group align="flex-start">
          <VerifyPanel org={org} />
          <Checkpoint org={org} />
        </Group>
      </Guarded>
      <FilterBar
        key={JSON.stringify(Object.keys(narrowed).length === 0)}
        filters={narrowed}
        change={(next) => change({ ...next, record })}
      />
      <RecordTable pages={pages} open={(id) => change({ ...search, record: id })} filtered={Object.keys(narrowed).length > 0} />
      {record && <RecordDrawer org={org} sbx={sbx} rec={record} close={() => change(narrowed)} />}
    </Stack>
  );
}
