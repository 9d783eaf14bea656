import { useTranslation } from 'react-i18next';
import { codeText } from './texts';

/**
 * Why something was refused. The server says it exactly, in English; other readers get what the code means in their own
 * language.
 */
export function useReason() {
  const { t, i18n } = useTranslation();
  return ({ code, message }: { code: string; message: string }) => (i18n.language === 'en' ? message : codeText(t, code));
}
