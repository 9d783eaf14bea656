import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Dates and numbers as the reader writes them, in the reader's time zone. */
export function useFormat() {
  const { i18n } = useTranslation();
  return useMemo(() => {
    const moment = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'medium' });
    const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' });
    const number = new Intl.NumberFormat(i18n.language);
    const list = new Intl.ListFormat(i18n.language, { type: 'conjunction' });
    return {
      moment: (at: string) => moment.format(new Date(at)),
      day: (at: string) => day.format(new Date(at)),
      number: (value: number) => number.format(value),
      list: (values: readonly string[]) => list.format(values),
    };
  }, [i18n.language]);
}
