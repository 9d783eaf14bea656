import { useTranslation } from 'react-i18next';
import { BarePage } from './BarePage';
import { RouteLink } from './RouteLink';

/** For an address that leads nowhere. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <BarePage title={t('notFound.title')} about={t('notFound.about')}>
      <RouteLink to="/">{t('home.title')}</RouteLink>
    </BarePage>
  );
}
