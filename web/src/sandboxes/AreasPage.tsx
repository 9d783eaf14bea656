import { Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { areaCreate, areaDelete, areaRename } from '../api/gen/sdk.gen';
import type { Area } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { useFormat } from '../i18n/useFormat';
import { ActionButton } from '../ui/ActionButton';
import { Async } from '../ui/Async';
import { DestructiveButton } from '../ui/DestructiveButton';
import { NameDialog } from '../ui/NameDialog';
import { PageHead } from '../ui/PageHead';
import { SearchedTable } from '../ui/SearchedTable';
import { areas, sandbox } from './queries';

/** The named parts of a sandbox's workspace. */
export function AreasPage({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [creating, { open, close }] = useDisclosure();
  const [renamed, setRenamed] = useState<Area>();
  const allowed = useQuery(sandbox(org, sbx)).data?.allowed;
  const list = useQuery(areas(org, sbx));
  const remove = useAct((area: Area) => areaDelete({ path: { org, sbx, are: area.id }, headers: ifMatch(area.revision) }));
  return (
    <Stack>
      <PageHead title={t('nav.areas')} about={t('area.about')}>
        <ActionButton permission={allowed?.['area.create']} onClick={open}>
          {t('area.create')}
        </ActionButton>
      </PageHead>
      <NameDialog
        title={t('area.create')}
        opened={creating}
        close={close}
        save={t('create')}
        run={(name) => areaCreate({ path: { org, sbx }, body: { name } })}
      />
      {renamed && (
        <NameDialog
          title={t('area.rename')}
          opened
          close={() => setRenamed(undefined)}
          save={t('save')}
          initial={renamed.name}
          run={(name) => areaRename({ path: { org, sbx, are: renamed.id }, body: { name }, headers: ifMatch(renamed.revision) })}
        />
      )}
      <Async query={list}>
        {({ items }) => (
          <SearchedTable
            label={t('nav.areas')}
            rows={items}
            text={(row) => row.name}
            rowKey={(row) => row.id}
            empty={t('area.empty')}
            columns={[
              { id: 'name', header: t('name'), sort: (row) => row.name, cell: (row) => row.name },
              { id: 'created', header: t('createdAt'), sort: (row) => row.createdAt, cell: (row) => format.day(row.createdAt) },
              {
                id: 'actions',
                header: t('actions'),
                cell: (row) => (
                  <Group gap="xs">
                    <ActionButton
                      size="xs"
                      variant="default"
                      permission={allowed?.['area.rename']}
                      label={t('renameNamed', { name: row.name })}
                      onClick={() => setRenamed(row)}
                    >
                      {t('rename')}
                    </ActionButton>
                    <DestructiveButton
                      size="xs"
                      permission={allowed?.['area.delete']}
                      label={t('deleteNamed', { name: row.name })}
                      consequence={t('area.deleteConsequence', { name: row.name })}
                      run={() => remove.mutate(row)}
                      busy={remove.isPending && remove.variables?.id === row.id}
                    >
                      {t('delete')}
                    </DestructiveButton>
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Async>
    </Stack>
  );
}
