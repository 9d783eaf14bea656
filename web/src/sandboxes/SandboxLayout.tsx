import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useWatch } from '../api/watch';
import { Place } from '../ui/Place';
import { sandbox } from './queries';

/** Every page of one sandbox, for as long as one may see it. */
export function SandboxLayout({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  const ended = useWatch(org, sbx);
  const query = useQuery({ ...sandbox(org, sbx), enabled: !ended });
  return (
    <Place query={query} ended={ended}>
      {({ stopped, status }) => (
        <Stack>
          {stopped && (
            <Alert color="red" title={t('emergency.stoppedTitle')}>
              {t('emergency.stopped')}
            </Alert>
          )}
          {status === 'terminating' && (
            <Alert color="orange" title={t('terminating.title')}>
              {t('terminating.about')}
            </Alert>
          )}
          <Outlet />
        </Stack>
      )}
    </Place>
  );
}
