import { Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CreatedInvitation } from '../api/gen/types.gen';
import { CopyField } from '../ui/CopyField';

/** Shows the link of a new invitation, once: the server keeps only a hash of it. */
export function LinkDialog({ created, close }: { created: CreatedInvitation; close: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={close} title={t('invitation.linkTitle')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack>
        <Text>{t('invitation.linkAbout', { email: created.invitation.email })}</Text>
        <CopyField label={t('invitation.link')} value={created.link} />
      </Stack>
    </Modal>
  );
}
