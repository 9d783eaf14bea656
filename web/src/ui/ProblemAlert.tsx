import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PasskeyRefused } from '../accounts/passkey';
import { Abandoned, Parked, ProblemError } from '../api/problem';
import { codeText } from '../i18n/texts';
import { useReason } from '../i18n/useReason';

/** Says what was refused or failed, and what the person can do about it. */
export function ProblemAlert({ error, retry }: { error: Error; retry?: () => void }) {
  const { t } = useTranslation();
  const reason = useReason();
  if (error instanceof Abandoned || error instanceof Parked) return null;
  const problem = error instanceof ProblemError ? error.problem : undefined;
  const text = error instanceof PasskeyRefused ? t('problem.passkey') : codeText(t, problem?.code ?? 'internal');
  const reasons = [...new Set(problem?.fields?.map(reason))].filter((line) => line !== text);
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('problem.title')} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {reasons.map((line) => (
          <Text size="sm" key={line}>
            {line}
          </Text>
        ))}
        {problem?.requestId && <Text size="xs">{t('problem.request', { id: problem.requestId })}</Text>}
        {retry && problem?.status !== 403 && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('problem.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
