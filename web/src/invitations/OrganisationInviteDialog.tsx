import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { organisationInvite } from '../api/gen/sdk.gen';
import type { CreatedInvitation, OrganisationRole } from '../api/gen/types.gen';
import { roleText } from '../i18n/texts';
import { organisationRoles } from '../organisations/roles';
import { FormDialog } from '../ui/FormDialog';

type Props = { org: string; close: () => void; done: (created: CreatedInvitation) => void };

/** Asks somebody by e-mail address to join an organisation. */
export function OrganisationInviteDialog({ org, close, done }: Props) {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<OrganisationRole>('member');
  const invite = useAct(() => organisationInvite({ path: { org }, body: { email: email.trim(), role } }), {
    quiet: true,
    done: (created) => {
      close();
      done(created);
    },
  });
  return (
    <FormDialog
      title={t('invitation.invite')}
      opened
      close={close}
      submit={() => invite.mutate(undefined)}
      save={t('invitation.make')}
      busy={invite.isPending}
      blocked={!email.includes('@')}
      error={invite.error}
    >
      <TextInput
        label={t('email')}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        required
        data-autofocus
        autoComplete="off"
      />
      <NativeSelect
        label={t('role.label')}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as OrganisationRole)}
        data={organisationRoles.map((value) => ({ value, label: roleText(t, value) }))}
        description={t(`organisationRole.${role}`)}
      />
    </FormDialog>
  );
}
