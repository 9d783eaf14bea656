import { Button, Group, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

/** A text to hand on, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation();
  const clipboard = useClipboard();
  return (
    <Group align="flex-end" wrap="nowrap">
      <TextInput label={label} value={value} readOnly flex={1} onFocus={(event) => event.currentTarget.select()} />
      <Button variant="default" onClick={() => clipboard.copy(value)} aria-live="polite">
        {clipboard.copied ? t('copied') : t('copy')}
      </Button>
    </Group>
  );
}
