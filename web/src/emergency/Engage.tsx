import { Card, Group, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import type { AllowedVerdict, StopReason } from '../api/gen/types.gen';
import { ActionButton } from '../ui/ActionButton';
import type { Place } from './place';

const reasons: StopReason[] = ['suspected_compromise', 'data_leak', 'misbehaving_agent', 'drill', 'other'];

/** Engaging asks for a reason and for nothing else: a stop is never held up. */
export function Engage({ place, permission }: { place: Place; permission?: AllowedVerdict }) {
  const { t } = useTranslation();
  const [reason, setReason] = useState<StopReason>('suspected_compromise');
  const engage = useAct(() => place.engage(reason));
  return (
    <Card withBorder>
      <Stack>
        <Radio.Group label={t('emergency.why')} value={reason} onChange={(value) => setReason(value as StopReason)}>
          <Stack gap="xs" mt="xs">
            {reasons.map((value) => (
              <Radio key={value} value={value} label={t(`emergency.reason.${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <Group>
          <ActionButton permission={permission} color="red" loading={engage.isPending} onClick={() => engage.mutate(undefined)}>
            {t('emergency.engage')}
          </ActionButton>
        </Group>
      </Stack>
    </Card>
  );
}
