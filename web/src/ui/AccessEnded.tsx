import { Alert, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHead } from './PageHead';
import { RouteLink } from './RouteLink';

/** Shown in place of everything that was on the screen, the moment that access to it is taken away. */
export function AccessEnded() {
  const { t } = useTranslation();
  return (
    <Stack>
      <PageHead title={t('ended.title')} />
      <Alert color="red" role="alert" title={t('ended.title')}>
        {t('ended.about')}
      </Alert>
      <RouteLink to="/">{t('home.title')}</RouteLink>
    </Stack>
  );
}
