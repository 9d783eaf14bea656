import { NativeSelect, Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { organisationGrant } from '../api/gen/sdk.gen';
import type { OrganisationMember, OrganisationRole } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';
import { codeText, roleText } from '../i18n/texts';
import { organisationRoles } from './roles';

/** A member's role, to be changed where it may be. */
export function MemberRole({ org, member }: { org: string; member: OrganisationMember }) {
  const { t } = useTranslation();
  const grant = useAct((role: OrganisationRole) =>
    organisationGrant({ path: { org, omb: member.id }, body: { role }, headers: ifMatch(member.revision) }),
  );
  const permission = member.allowed['organisation.grant'];
  if (permission?.verdict === 'deny') {
    return (
      <Tooltip label={codeText(t, permission.reason ?? 'policy')} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <Text size="sm" span>
          {roleText(t, member.role)}
        </Text>
      </Tooltip>
    );
  }
  return (
    <NativeSelect
      size="xs"
      aria-label={t('role.of', { name: member.name })}
      value={member.role}
      disabled={grant.isPending}
      onChange={(event) => grant.mutate(event.currentTarget.value as OrganisationRole)}
      data={organisationRoles.map((role) => ({ value: role, label: roleText(t, role) }))}
    />
  );
}
