import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { organisationRevoke } from '../api/gen/sdk.gen';
import type { OrganisationMember } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { DestructiveButton } from '../ui/DestructiveButton';

/** Ends somebody's membership of an organisation and of all its sandboxes. */
export function RevokeMember({ org, member }: { org: string; member: OrganisationMember }) {
  const { t } = useTranslation();
  const revoke = useAct(() => organisationRevoke({ path: { org, omb: member.id }, headers: ifMatch(member.revision) }));
  return (
    <DestructiveButton
      size="xs"
      permission={member.allowed['organisation.revoke']}
      label={t('removeNamed', { name: member.name })}
      consequence={t('organisationMembers.removeConsequence', { name: member.name })}
      run={() => revoke.mutate(undefined)}
      busy={revoke.isPending}
    >
      {t('remove')}
    </DestructiveButton>
  );
}
