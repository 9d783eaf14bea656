import { Alert, Card, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { organisationDelete, organisationRename } from '../api/gen/sdk.gen';
import type { Organisation } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { ActionButton } from '../ui/ActionButton';
import { Async } from '../ui/Async';
import { DestructiveButton } from '../ui/DestructiveButton';
import { Facts } from '../ui/Facts';
import { NameDialog } from '../ui/NameDialog';
import { PageHead } from '../ui/PageHead';
import { LeaveOrganisation } from './LeaveOrganisation';
import { organisation } from './queries';

/** What an organisation is, and changing its name or its existence. */
export function OrganisationPage({ org }: { org: string }) {
  return <Async query={useQuery(organisation(org))}>{(found) => <Overview key={found.revision} organisation={found} />}</Async>;
}

function Overview({ organisation: { id: org, name, role, status, revision, createdAt, allowed } }: { organisation: Organisation }) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const [renaming, rename] = useDisclosure();
  const remove = useAct(() => organisationDelete({ path: { org }, headers: ifMatch(revision) }), {
    leaves: true,
    said: t('organisation.deleting'),
    done: () => void navigate({ to: '/' }),
  });
  return (
    <Stack>
      <PageHead title={name}>
        <ActionButton permission={allowed['organisation.rename']} variant="default" onClick={rename.open}>
          {t('rename')}
        </ActionButton>
        <DestructiveButton
          permission={allowed['organisation.delete']}
          label={t('organisation.delete')}
          consequence={t('organisation.deleteConsequence', { name })}
          run={() => remove.mutate(undefined)}
          busy={remove.isPending}
        >
          {t('delete')}
        </DestructiveButton>
      </PageHead>
      {status === 'terminating' && (
        <Alert color="orange" title={t('terminating.title')}>
          {t('terminating.about')}
        </Alert>
      )}
      <NameDialog
        title={t('organisation.rename')}
        opened={renaming}
        close={rename.close}
        save={t('save')}
        initial={name}
        run={(next) => organisationRename({ path: { org }, body: { name: next }, headers: ifMatch(revision) })}
      />
      <Card withBorder>
        <Facts
          label={t('nav.overview')}
          rows={[
            [t('name'), name],
            [t('role.mine'), role ? roleText(t, role) : t('none')],
            [t('status.label'), t(`status.${status}`)],
            [t('createdAt'), format.moment(createdAt)],
            [t('id'), org],
          ]}
        />
      </Card>
      <Group>
        <LeaveOrganisation org={org} name={name} permission={allowed['organisation.leave']} />
      </Group>
    </Stack>
  );
}
