import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { enter } from '../accounts/enter';
import { makePasskey } from '../accounts/passkey';
import { toFragment } from '../accounts/returnPath';
import { SignOutButton } from '../accounts/SignOutButton';
import { useAct } from '../api/act';
import { invitationAccept, invitationBegin, invitationDecline } from '../api/gen/sdk.gen';
import type { InvitationOffer, Self } from '../api/gen/types.gen';
import { ProblemAlert } from '../ui/ProblemAlert';

type Props = { token: string; offer: InvitationOffer; self?: Self; declined: () => void };

/** Accept or decline: how, depends on whether the person has an account and is signed in to it. */
export function Answer({ token, offer, self, declined }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const newPerson = !self && !offer.accountExists;
  const accept = useAct(
    async () => {
      if (!newPerson) return invitationAccept({ body: { token } });
      const { ceremonyId, publicKey } = await invitationBegin({ body: { token, name: name.trim() } });
      return invitationAccept({ body: { token, ceremonyId, credential: { ...(await makePasskey(publicKey)) } } });
    },
    {
      quiet: true,
      done: (accepted) => {
        enter(queries, accepted);
        void navigate({ to: '/' });
      },
    },
  );
  const decline = useAct(() => invitationDecline({ body: { token } }), { done: declined });
  const signInFirst = !self && offer.accountExists;
  const otherAccount = self && self.account.email !== offer.email;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(undefined);
      }}
    >
      <Stack>
        {newPerson && (
          <TextInput
            label={t('personName')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="name"
            required
          />
        )}
        {signInFirst && <Text>{t('invitation.hasAccount')}</Text>}
        {otherAccount && <Alert color="orange">{t('invitation.otherAccount', { mine: self.account.email, theirs: offer.email })}</Alert>}
        {accept.error && <ProblemAlert error={accept.error} />}
        <Group>
          {signInFirst && (
            <Button onClick={() => void navigate({ to: '/sign-in', hash: toFragment(`/invitation#${token}`) })}>
              {t('invitation.signIn')}
            </Button>
          )}
          {otherAccount && <SignOutButton />}
          {!signInFirst && !otherAccount && (
            <Button type="submit" loading={accept.isPending} disabled={newPerson && !name.trim()}>
              {newPerson ? t('invitation.acceptNew') : t('invitation.accept')}
            </Button>
          )}
          <Button variant="default" loading={decline.isPending} onClick={() => decline.mutate(undefined)}>
            {t('invitation.decline')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
