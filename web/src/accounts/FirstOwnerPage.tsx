import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { firstOwnerBegin, firstOwnerFinish, firstOwnerShow } from '../api/gen/sdk.gen';
import { useFormat } from '../i18n/useFormat';
import { Async } from '../ui/Async';
import { BarePage } from '../ui/BarePage';
import { ProblemAlert } from '../ui/ProblemAlert';
import { enter } from './enter';
import { makePasskey } from './passkey';
import { useLinkToken } from './useLinkToken';

/** Makes the first account of an installation, with the one-time link that the server printed. */
export function FirstOwnerPage() {
  const { t } = useTranslation();
  const token = useLinkToken();
  const link = useQuery({
    queryKey: ['first-owner', token],
    queryFn: () => firstOwnerShow({ body: { token } }),
    retry: false,
    staleTime: 'static',
  });
  return (
    <BarePage title={t('firstOwner.title')} about={t('firstOwner.about')}>
      <Async query={link}>{({ expiresAt }) => <FirstOwnerForm token={token} expiresAt={expiresAt} />}</Async>
    </BarePage>
  );
}

function FirstOwnerForm({ token, expiresAt }: { token: string; expiresAt: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const make = useAct(
    async () => {
      const { ceremonyId, publicKey } = await firstOwnerBegin({ body: { token, name: name.trim(), email: email.trim() } });
      return firstOwnerFinish({ body: { ceremonyId, credential: { ...(await makePasskey(publicKey)) } } });
    },
    {
      quiet: true,
      done: (self) => {
        enter(queries, self);
        void navigate({ to: '/' });
      },
    },
  );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(undefined);
      }}
    >
      <Stack>
        <TextInput
          label={t('personName')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="name"
          required
        />
        <TextInput
          label={t('email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="email"
          required
        />
        {make.error && <ProblemAlert error={make.error} />}
        <Button type="submit" size="md" loading={make.isPending} disabled={!name.trim() || !email.trim()}>
          {t('firstOwner.make')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('firstOwner.expires', { at: format.moment(expiresAt) })}
        </Text>
      </Stack>
    </form>
  );
}
