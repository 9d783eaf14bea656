import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { memberList, sandboxTransfer } from '../api/gen/sdk.gen';
import type { Sandbox } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { FormDialog } from '../ui/FormDialog';

/** Hands a sandbox over to one of its members. */
export function TransferDialog({ org, sandbox, close }: { org: string; sandbox: Sandbox; close: () => void }) {
  const { t } = useTranslation();
  const path = { org, sbx: sandbox.id };
  const [memberId, setMemberId] = useState('');
  const members = useQuery({
    queryKey: ['sandbox', org, sandbox.id, 'members', 'all'],
    queryFn: ({ signal }) => memberList({ path, query: { limit: 200 }, signal }),
  });
  const transfer = useAct(() => sandboxTransfer({ path, body: { memberId }, headers: ifMatch(sandbox.revision) }), {
    quiet: true,
    done: close,
  });
  const found = members.data?.members ?? [];
  return (
    <FormDialog
      title={t('sandbox.transfer')}
      opened
      close={close}
      submit={() => transfer.mutate(undefined)}
      save={t('sandbox.transfer')}
      busy={transfer.isPending}
      blocked={!memberId}
      error={transfer.error ?? members.error}
    >
      <Text size="sm">{members.data && found.length === 0 ? t('sandbox.transferNobody') : t('sandbox.transferAbout')}</Text>
      <NativeSelect
        label={t('sandbox.newOwner')}
        value={memberId}
        onChange={(event) => setMemberId(event.currentTarget.value)}
        data={[{ value: '', label: t('choose') }, ...found.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))]}
      />
    </FormDialog>
  );
}
