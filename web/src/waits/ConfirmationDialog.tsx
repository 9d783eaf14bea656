import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Abandoned, Parked } from '../api/problem';
import { ProblemAlert } from '../ui/ProblemAlert';
import { confirm, isParked } from './confirm';
import { asked, type Question } from './confirmation';

/** The one dialog in which a person proves presence for an action. It shows the server's own words. */
export function ConfirmationDialog() {
  const question = useSyncExternalStore(asked.subscribe, asked.current);
  return question ? <Ask key={question.proposalId} question={question} /> : null;
}

function Ask({ question }: { question: Question }) {
  const { t } = useTranslation();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const { proposalId, organisationId } = question;
  const leave = () => question.refuse(waiting ? new Parked(proposalId) : new Abandoned());

  const prove = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const response = await confirm({ org: organisationId, prp: proposalId });
      if (isParked(response)) setWaiting(true);
      else question.answer(response);
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal
      opened
      onClose={leave}
      title={t('confirmation.title')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text fw={500}>{question.description}</Text>
        {waiting ? (
          <Text role="status">{t('confirmation.parked')}</Text>
        ) : (
          <Text size="sm" c="dimmed">
            {question.requires > 1 ? t('confirmation.aboutTwo') : t('confirmation.about')}
          </Text>
        )}
        {error && <ProblemAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={leave}>
            {waiting ? t('close') : t('cancel')}
          </Button>
          {!waiting && (
            <Button leftSection={<IconFingerprint size={18} aria-hidden />} loading={busy} onClick={() => void prove()} data-autofocus>
              {t('confirmation.prove')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
