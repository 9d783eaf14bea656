import { useTranslation } from 'react-i18next';
import type { InvitationOffer } from '../api/gen/types.gen';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { Facts } from '../ui/Facts';

/** What an invitation offers, in words. */
export function Offer({ offer }: { offer: InvitationOffer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const rows: [string, string][] = [[t('organisation.one'), offer.organisationName]];
  if (offer.sandboxName) rows.push([t('sandbox.one'), offer.sandboxName]);
  rows.push([t('invitation.for'), offer.email], [t('role.label'), roleText(t, offer.role)]);
  if (offer.areas) rows.push([t('access.sees'), format.list(offer.areas)]);
  if (offer.agents) rows.push([t('access.agents'), t(`access.agentsIs.${offer.agents}`)]);
  if (offer.edit) rows.push([t('access.edits'), offer.edit === 'all' ? t('access.editIs.all') : format.list(offer.edit)]);
  rows.push([t('expiresAt'), format.moment(offer.expiresAt)]);
  return <Facts label={t('invitation.title')} rows={rows} />;
}
