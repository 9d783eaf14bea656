import { useTranslation } from 'react-i18next';
import en from '../i18n/en.json';

/** A verdict in words; what this console has no word for is shown as it is. */
export function useVerdictText() {
  const { t } = useTranslation();
  return (verdict: string) => (verdict in en.verdict ? t(`verdict.${verdict as keyof typeof en.verdict}`) : verdict);
}
