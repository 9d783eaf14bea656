import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AllowedVerdict } from '../api/gen/types.gen';
import { ActionButton } from './ActionButton';

type Props = {
  permission?: AllowedVerdict;
  /** The accessible name of the button and the title of the question. */
  label: string;
  /** What will happen, in a sentence. */
  consequence: string;
  run: () => void;
  busy?: boolean;
  size?: string;
  children: ReactNode;
};

/**
 * Says what will happen before it happens. An action that the server has confirmed anyway is not asked about twice: the
 * server's own description is the better question.
 */
export function DestructiveButton({ permission, label, consequence, run, busy, size, children }: Props) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <ActionButton
        permission={permission}
        label={label}
        color="red"
        variant="light"
        size={size}
        loading={busy}
        onClick={permission?.verdict === 'confirm' ? run : open}
      >
        {children}
      </ActionButton>
      <Modal opened={opened} onClose={close} title={label} closeButtonProps={{ 'aria-label': t('close') }}>
        <Stack>
          <Text>{consequence}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button
              color="red"
              onClick={() => {
                close();
                run();
              }}
            >
              {children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
