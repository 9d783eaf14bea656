import { Alert, Button, Card, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/useFormat';
import { ProblemAlert } from '../ui/ProblemAlert';
import { Verdict } from './Verdict';
import { type Progress as Step, verify } from './verify';

/** Has every link of the trail recomputed, and says in words what came of it. */
export function VerifyPanel({ org }: { org: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [progress, setProgress] = useState<Step>();
  const stop = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      setProgress(undefined);
      return verify(org, stop.current.signal, setProgress);
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  const { of = 0, checked = 0 } = progress ?? {};
  return (
    <Card withBorder flex={1} miw={280}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>{t('verify.title')}</Text>
          <Button size="xs" onClick={() => run.mutate()} loading={run.isPending}>
            {t('verify.run')}
          </Button>
        </Group>
        {run.isPending && (
          <>
            <Progress value={of > 0 ? (100 * checked) / of : 100} animated aria-label={t('verify.progress')} />
            <Text size="sm" role="status">
              {t('verify.checked', { checked: format.number(checked), of: format.number(of) })}
            </Text>
          </>
        )}
        {run.error && <ProblemAlert error={run.error} />}
        {run.data ? <Verdict verification={run.data} /> : !run.isPending && <Alert color="gray">{t('verify.about')}</Alert>}
      </Stack>
    </Card>
  );
}
