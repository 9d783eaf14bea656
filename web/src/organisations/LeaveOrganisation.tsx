import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { organisationLeave } from '../api/gen/sdk.gen';
import type { AllowedVerdict } from '../api/gen/types.gen';
import { DestructiveButton } from '../ui/DestructiveButton';

/** Ends my own membership of an organisation. */
export function LeaveOrganisation({ org, name, permission }: { org: string; name: string; permission?: AllowedVerdict }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const leave = useAct(() => organisationLeave({ path: { org } }), { leaves: true, done: () => void navigate({ to: '/' }) });
  return (
    <DestructiveButton
      permission={permission}
      label={t('organisation.leave')}
      consequence={t('organisation.leaveConsequence', { name })}
      run={() => leave.mutate(undefined)}
      busy={leave.isPending}
    >
      {t('organisation.leave')}
    </DestructiveButton>
  );
}
