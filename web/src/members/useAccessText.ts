import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/useFormat';
import type { Access } from './access';

/** What an access allows, in words. */
export function useAccessText() {
  const { t } = useTranslation();
  const format = useFormat();
  const named = (areas: string[]) => (areas.length > 0 ? format.list(areas) : t('access.nothing'));
  return ({ agents, see, edit }: Access) => ({
    agents: t(`access.agentsIs.${agents}`),
    sees: see ? named(see) : t('access.seeIs.all'),
    edits: Array.isArray(edit) ? named(edit) : t(`access.editIs.${edit}`),
  });
}
