import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Policy, PolicyView } from '../api/gen/types.gen';
import { Async } from '../ui/Async';
import { Guarded } from '../ui/Guarded';
import { PageHead } from '../ui/PageHead';
import { PolicyEditor } from './PolicyEditor';
import { type Place, policyOf } from './place';
import { VersionTable } from './VersionTable';

/** What is allowed, confirmed or denied in an organisation or a sandbox. */
export function PolicyPage({ org, sbx }: { org: string; sbx?: string }) {
  const { t } = useTranslation();
  return (
    <Guarded org={org} sbx={sbx} action="policy.read" title={t('nav.policy')}>
      <Rules org={org} sbx={sbx} />
    </Guarded>
  );
}

function Rules({ org, sbx }: { org: string; sbx?: string }) {
  const { t } = useTranslation();
  const place = useMemo(() => policyOf(org, sbx), [org, sbx]);
  const policy = useQuery({ queryKey: place.key, queryFn: place.read });
  return (
    <Stack>
      <PageHead title={t('nav.policy')} about={sbx ? t('policy.aboutSandbox') : t('policy.about')} />
      <Async query={policy}>{(state) => <Loaded key={state.revision} place={place} state={state} narrows={sbx !== undefined} />}</Async>
    </Stack>
  );
}

function Loaded({ place, state, narrows }: { place: Place; state: PolicyView; narrows: boolean }) {
  const { t } = useTranslation();
  const [start, setStart] = useState<{ document: Policy; from?: number }>({ document: beginning(state, narrows) });
  return (
    <Stack>
      {!state.valid && (
        <Alert color="red" role="alert" title={t('policy.invalidTitle')}>
          {t('policy.invalid')}
        </Alert>
      )}
      <Text>
        {state.document ? t('policy.own', { version: state.version }) : narrows ? t('policy.builtInSandbox') : t('policy.builtIn')}
      </Text>
      <PolicyEditor key={start.from ?? 'now'} place={place} state={state} start={start.document} restored={start.from} />
      <VersionTable place={place} restore={(from, document) => setStart({ document, from })} />
    </Stack>
  );
}

/** A sandbox only narrows, so it starts empty; an organisation that has no document starts from what applies. */
function beginning({ document, effective }: PolicyView, narrows: boolean): Policy {
  return document ?? (narrows ? { version: 1, rules: [] } : effective);
}
