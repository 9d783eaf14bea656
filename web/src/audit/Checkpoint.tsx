import { Card, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { auditCheckpoint } from '../api/gen/sdk.gen';
import { ProblemError } from '../api/problem';
import { useFormat } from '../i18n/useFormat';
import { Loading } from '../ui/Async';
import { ProblemAlert } from '../ui/ProblemAlert';

/** The newest signed head of the trail. Until the first one is made there is none, which is not an error. */
export function Checkpoint({ org }: { org: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['organisation', org, 'audit', 'checkpoint'],
    queryFn: ({ signal }) => auditCheckpoint({ path: { org }, signal }),
  });
  const none = error instanceof ProblemError && error.status === 404;
  return (
    <Card withBorder flex={1} miw={280}>
      <Stack gap="xs">
        <Text fw={600}>{t('checkpoint.title')}</Text>
        {isPending && <Loading rows={2} />}
        {none && <Text size="sm">{t('checkpoint.none')}</Text>}
        {error && !none && <ProblemAlert error={error} retry={() => void refetch()} />}
        {data && (
          <>
            <Text size="sm">{t('checkpoint.size', { size: format.number(data.size), at: format.moment(data.at) })}</Text>
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {data.note}
            </Code>
          </>
        )}
      </Stack>
    </Card>
  );
}
