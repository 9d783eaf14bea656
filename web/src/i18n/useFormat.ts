import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Dates and numbers as the reader writes them, in the reader's time zone. */
export function useFormat() {
  const { i18n } = useTranslation();
  return useMemo(() => {
    // English is written in many ways: the reader's own, where the browser names one.
    const locale = navigator.languages.find((name) => name.startsWith(i18n.language)) ?? i18n.language;
    const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    const number = new Intl.NumberFormat(locale);
    const list = new Intl.ListFormat(locale, { type: 'conjunction' });
    return {
      moment: (at: string) => moment.format(new Date(at)),
      day: (at: string) => day.format(new Date(at)),
      number: (value: number) => number.format(value),
      list: (values: readonly string[]) => list.format(values),
    };
  }, [i18n.language]);
}
