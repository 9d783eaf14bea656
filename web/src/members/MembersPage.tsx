import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invitationCreate, memberChange, memberGrant, memberList } from '../api/gen/sdk.gen';
import type { CreatedInvitation, Member } from '../api/gen/types.gen';
import { usePages } from '../api/pages';
import { ifMatch } from '../api/transport';
import { LinkDialog } from '../invitations/LinkDialog';
import { SandboxInvitations } from '../invitations/SandboxInvitations';
import { sandbox } from '../sandboxes/queries';
import { ActionButton } from '../ui/ActionButton';
import { Guarded } from '../ui/Guarded';
import { PageHead } from '../ui/PageHead';
import { SearchBox } from '../ui/SearchBox';
import { AccessDialog } from './AccessDialog';
import { fromRow } from './draft';
import { MemberTable } from './MemberTable';

/** Who is in a sandbox, what each of them may, and who is still invited. */
export function MembersPage({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  return (
    <Guarded org={org} sbx={sbx} action="member.list" title={t('nav.members')}>
      <Roster org={org} sbx={sbx} />
    </Guarded>
  );
}

function Roster({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  const path = { org, sbx };
  const [search, setSearch] = useState('');
  const [dialog, setDialog] = useState<'add' | 'invite' | Member>();
  const [created, setCreated] = useState<CreatedInvitation>();
  const close = () => setDialog(undefined);
  const allowed = useQuery(sandbox(org, sbx)).data?.allowed;
  const pages = usePages(['sandbox', org, sbx, 'members', search], async (cursor, signal) => {
    const { members, ...rest } = await memberList({ path, query: { cursor, search: search || undefined }, signal });
    return { items: members, ...rest };
  });
  const owner = pages.first?.owner;
  const place = { org, sbx, close };
  return (
    <Stack>
      <PageHead title={t('nav.members')} about={t('member.about')}>
        <ActionButton permission={allowed?.['member.grant']} onClick={() => setDialog('add')}>
          {t('member.add')}
        </ActionButton>
        <ActionButton permission={allowed?.['invitation.create']} variant="light" onClick={() => setDialog('invite')}>
          {t('member.invite')}
        </ActionButton>
      </PageHead>
      {owner && (
        <Card withBorder>
          <Text size="sm" c="dimmed">
            {t('role.owner')}
          </Text>
          <Text fw={500}>{owner.name}</Text>
          <Text size="sm">{owner.email}</Text>
        </Card>
      )}
      <Group>
        <SearchBox value={search} onSearch={setSearch} />
      </Group>
      <MemberTable org={org} sbx={sbx} pages={pages} searched={search !== ''} change={setDialog} />
      <Title order={2} size="h4">
        {t('nav.invitations')}
      </Title>
      <SandboxInvitations org={org} sbx={sbx} />
      {dialog === 'add' && (
        <AccessDialog
          {...place}
          title={t('member.add')}
          save={t('member.add')}
          run={(grant, email) => memberGrant({ path, body: { email, ...grant } })}
        />
      )}
      {dialog === 'invite' && (
        <AccessDialog
          {...place}
          title={t('member.invite')}
          save={t('invitation.make')}
          run={(grant, email) => invitationCreate({ path, body: { email, ...grant } })}
          done={setCreated}
        />
      )}
      {typeof dialog === 'object' && (
        <AccessDialog
          {...place}
          title={t('member.changeNamed', { name: dialog.name })}
          save={t('save')}
          initial={fromRow(dialog)}
          run={(grant) => memberChange({ path: { ...path, mbr: dialog.id }, body: grant, headers: ifMatch(dialog.revision) })}
        />
      )}
      {created && <LinkDialog created={created} close={() => setCreated(undefined)} />}
    </Stack>
  );
}
