import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isLanguage, languages, setLanguage } from '../i18n';

/** English or Polish, each named in itself. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('language')}
      value={i18n.language}
      onChange={(value) => isLanguage(value) && void setLanguage(value)}
      data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
    />
  );
}
