import { Alert, Stack, Text, Title } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Emergency } from '../api/gen/types.gen';
import { useFormat } from '../i18n/useFormat';
import { Async } from '../ui/Async';
import { Guarded } from '../ui/Guarded';
import { PageHead } from '../ui/PageHead';
import { Engage } from './Engage';
import { emergencyOf } from './place';
import { Release } from './Release';
import { TargetTable } from './TargetTable';

/** Stops everything in an organisation or a sandbox, and shows how far the stop has come. */
export function EmergencyPage({ org, sbx }: { org: string; sbx?: string }) {
  const { t } = useTranslation();
  return (
    <Guarded org={org} sbx={sbx} action="emergency.read" title={t('nav.emergency')}>
      <Stop org={org} sbx={sbx} />
    </Guarded>
  );
}

function Stop({ org, sbx }: { org: string; sbx?: string }) {
  const { t } = useTranslation();
  const place = useMemo(() => emergencyOf(org, sbx), [org, sbx]);
  const emergency = useQuery({
    queryKey: place.key,
    queryFn: place.read,
    refetchInterval: ({ state }) => (state.data?.engaged ? 3_000 : 30_000),
  });
  return (
    <Stack>
      <PageHead title={t('nav.emergency')} about={sbx ? t('emergency.aboutSandbox') : t('emergency.about')} />
      <Async query={emergency}>
        {(state) => (
          <Stack>
            <Standing state={state} />
            {state.engaged ? (
              <Release place={place} permission={state.allowed['emergency.reset']} />
            ) : (
              <Engage place={place} permission={state.allowed['emergency.engage']} />
            )}
            {state.engaged && (
              <>
                <Title order={2} size="h4">
                  {t('emergency.board')}
                </Title>
                <TargetTable targets={state.targets} />
              </>
            )}
          </Stack>
        )}
      </Async>
    </Stack>
  );
}

function Standing({ state: { engaged, readable, since, by, reason } }: { state: Emergency }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!engaged) {
    return (
      <Alert color="teal" role="status" title={t('emergency.releasedTitle')}>
        {t('emergency.released')}
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" icon={<IconHandStop aria-hidden />} title={t('emergency.engagedTitle')}>
      {!readable && <Text size="sm">{t('emergency.unreadable')}</Text>}
      {reason && <Text size="sm">{t(`emergency.reason.${reason}`)}</Text>}
      {since && <Text size="sm">{t('emergency.since', { at: format.moment(since), by: by?.name ?? by?.accountId })}</Text>}
    </Alert>
  );
}
