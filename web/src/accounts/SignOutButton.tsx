import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { signOut } from '../api/gen/sdk.gen';

/** Ends the sign-in. The page is loaded anew so that nothing that was read stays in memory. */
export function SignOutButton() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const router = useRouter();
  const leave = useAct(() => signOut(), {
    done: () => {
      queries.clear();
      window.location.assign(router.buildLocation({ to: '/sign-in' }).href);
    },
  });
  return (
    <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate(undefined)}>
      {t('signOut')}
    </Button>
  );
}
