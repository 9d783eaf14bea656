import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { session } from '../accounts/session';
import { useLinkToken } from '../accounts/useLinkToken';
import { invitationShow } from '../api/gen/sdk.gen';
import { Async, Loading } from '../ui/Async';
import { BarePage } from '../ui/BarePage';
import { Answer } from './Answer';
import { Offer } from './Offer';

/** Shows somebody what they are invited to and takes their answer. Opening the link changes nothing. */
export function InvitationPage() {
  const { t } = useTranslation();
  const token = useLinkToken();
  const [declined, setDeclined] = useState(false);
  const self = useQuery(session);
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => invitationShow({ body: { token } }),
    retry: false,
    staleTime: 'static',
  });
  if (declined) {
    return (
      <BarePage title={t('invitation.declinedTitle')}>
        <Text role="status">{t('invitation.declined')}</Text>
      </BarePage>
    );
  }
  return (
    <BarePage title={t('invitation.title')} about={t('invitation.about')}>
      <Async query={offer}>
        {(found) => (
          <Stack>
            <Offer offer={found} />
            {self.isPending ? (
              <Loading rows={1} />
            ) : (
              <Answer token={token} offer={found} self={self.data} declined={() => setDeclined(true)} />
            )}
          </Stack>
        )}
      </Async>
    </BarePage>
  );
}
