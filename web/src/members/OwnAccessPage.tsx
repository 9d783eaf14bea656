import { Card, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { memberLeave, memberSelf } from '../api/gen/sdk.gen';
import type { MemberStanding } from '../api/gen/types.gen';
import { roleText } from '../i18n/texts';
import { sandbox } from '../sandboxes/queries';
import { Async } from '../ui/Async';
import { DestructiveButton } from '../ui/DestructiveButton';
import { Facts } from '../ui/Facts';
import { PageHead } from '../ui/PageHead';
import { useAccessText } from './useAccessText';

/** What I may do in a sandbox, and the way out of it. */
export function OwnAccessPage({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const own = useQuery({
    queryKey: ['sandbox', org, sbx, 'own-access'],
    queryFn: ({ signal }) => memberSelf({ path: { org, sbx }, signal }),
  });
  const allowed = useQuery(sandbox(org, sbx)).data?.allowed;
  const leave = useAct(() => memberLeave({ path: { org, sbx } }), { leaves: true, done: () => void navigate({ to: '/' }) });
  return (
    <Stack>
      <PageHead title={t('nav.access')} about={t('ownAccess.about')} />
      <Async query={own}>
        {(found) => (
          <Card withBorder>
            <AccessFacts own={found} />
          </Card>
        )}
      </Async>
      <Group>
        <DestructiveButton
          permission={allowed?.['member.leave']}
          label={t('ownAccess.leave')}
          consequence={t('ownAccess.leaveConsequence')}
          run={() => leave.mutate(undefined)}
          busy={leave.isPending}
        >
          {t('ownAccess.leave')}
        </DestructiveButton>
      </Group>
    </Stack>
  );
}

function AccessFacts({ own: { role, agents, areas, edit } }: { own: MemberStanding }) {
  const { t } = useTranslation();
  const words = useAccessText()({ manage: false, agents, see: areas ?? null, edit });
  return (
    <Facts
      label={t('nav.access')}
      rows={[
        [t('role.label'), roleText(t, role)],
        [t('access.agents'), words.agents],
        [t('access.sees'), words.sees],
        [t('access.edits'), words.edits],
      ]}
    />
  );
}
