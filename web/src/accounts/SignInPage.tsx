import { Button, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { signInBegin, signInFinish } from '../api/gen/sdk.gen';
import { BarePage } from '../ui/BarePage';
import { ProblemAlert } from '../ui/ProblemAlert';
import { enter } from './enter';
import { provePasskey } from './passkey';
import { fromFragment } from './returnPath';

/** The way in for somebody with an account. */
export function SignInPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const signIn = useAct(
    async () => {
      const { ceremonyId, publicKey } = await signInBegin({ body: {} });
      return signInFinish({ body: { ceremonyId, credential: { ...(await provePasskey(publicKey)) } } });
    },
    {
      quiet: true,
      done: (self) => {
        enter(queries, self);
        router.history.push(fromFragment(window.location.hash));
      },
    },
  );
  return (
    <BarePage title={t('signIn.title')} about={t('signIn.about')}>
      {signIn.error && <ProblemAlert error={signIn.error} />}
      <Button size="md" leftSection={<IconFingerprint aria-hidden />} loading={signIn.isPending} onClick={() => signIn.mutate(undefined)}>
        {t('signIn.passkey')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('signIn.help')}
      </Text>
    </BarePage>
  );
}
