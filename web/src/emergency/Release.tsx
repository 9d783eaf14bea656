import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import type { AllowedVerdict } from '../api/gen/types.gen';
import { ActionButton } from '../ui/ActionButton';
import type { Place } from './place';

/** Releasing is always confirmed, so this only asks for it. */
export function Release({ place, permission }: { place: Place; permission?: AllowedVerdict }) {
  const { t } = useTranslation();
  const reset = useAct(place.reset, { said: t('emergency.releasedTitle') });
  return (
    <Group>
      <ActionButton permission={permission} loading={reset.isPending} onClick={() => reset.mutate(undefined)}>
        {t('emergency.release')}
      </ActionButton>
    </Group>
  );
}
