import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from './ProblemAlert';

type Props = {
  title: string;
  opened: boolean;
  close: () => void;
  submit: () => void;
  save: string;
  busy: boolean;
  blocked?: boolean;
  error: Error | null;
  size?: string;
  children: ReactNode;
};

/** A form in a dialog, with the server's refusal above its buttons. */
export function FormDialog({ title, opened, close, submit, save, busy, blocked, error, size, children }: Props) {
  const { t } = useTranslation();
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!blocked) submit();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': t('close') }}>
      <form onSubmit={send} noValidate>
        <Stack>
          {children}
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={blocked}>
              {save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
