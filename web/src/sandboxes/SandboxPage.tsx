import { Card, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { sandboxDelete, sandboxRename } from '../api/gen/sdk.gen';
import type { Sandbox } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { ActionButton } from '../ui/ActionButton';
import { Async } from '../ui/Async';
import { DestructiveButton } from '../ui/DestructiveButton';
import { Facts } from '../ui/Facts';
import { NameDialog } from '../ui/NameDialog';
import { PageHead } from '../ui/PageHead';
import { sandbox } from './queries';
import { TransferDialog } from './TransferDialog';

/** What a sandbox is, and changing its name, its owner or its existence. */
export function SandboxPage({ org, sbx }: { org: string; sbx: string }) {
  return <Async query={useQuery(sandbox(org, sbx))}>{(found) => <Overview key={found.revision} org={org} sandbox={found} />}</Async>;
}

function Overview({ org, sandbox: found }: { org: string; sandbox: Sandbox }) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const { id: sbx, name, revision, allowed } = found;
  const [renaming, rename] = useDisclosure();
  const [transferring, transfer] = useDisclosure();
  const headers = ifMatch(revision);
  const remove = useAct(() => sandboxDelete({ path: { org, sbx }, headers }), {
    leaves: true,
    said: t('sandbox.deleting'),
    done: () => void navigate({ to: '/organisations/$org/sandboxes', params: { org } }),
  });
  return (
    <Stack>
      <PageHead title={name}>
        <ActionButton permission={allowed['sandbox.rename']} variant="default" onClick={rename.open}>
          {t('rename')}
        </ActionButton>
        <ActionButton permission={allowed['sandbox.transfer']} variant="default" onClick={transfer.open}>
          {t('sandbox.transfer')}
        </ActionButton>
        <DestructiveButton
          permission={allowed['sandbox.delete']}
          label={t('sandbox.delete')}
          consequence={t('sandbox.deleteConsequence', { name })}
          run={() => remove.mutate(undefined)}
          busy={remove.isPending}
        >
          {t('delete')}
        </DestructiveButton>
      </PageHead>
      <NameDialog
        title={t('sandbox.rename')}
        opened={renaming}
        close={rename.close}
        save={t('save')}
        initial={name}
        run={(next) => sandboxRename({ path: { org, sbx }, body: { name: next }, headers })}
      />
      {transferring && <TransferDialog org={org} sandbox={found} close={transfer.close} />}
      <Card withBorder>
        <Facts
          label={t('nav.overview')}
          rows={[
            [t('name'), name],
            [t('role.mine'), roleText(t, found.role)],
            [t('role.owner'), found.ownerEmail ?? t('none')],
            [t('status.label'), found.stopped ? t('status.stopped') : t(`status.${found.status}`)],
            [t('createdAt'), format.moment(found.createdAt)],
            [t('id'), sbx],
          ]}
        />
      </Card>
    </Stack>
  );
}
