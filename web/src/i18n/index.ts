import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import en from './en.json';

/** The languages of the console, each by its own name. */
export const languages = { en: 'English', pl: 'Polski' } as const;
export type Language = keyof typeof languages;

const remembered = 'bailiwick.language';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Starts with the remembered language, else the browser's, else English. */
export async function startLanguage(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    partialBundledLanguages: true,
    interpolation: { escapeValue: false },
  });
  const wanted = localStorage.getItem(remembered) ?? navigator.language.slice(0, 2);
  await setLanguage(isLanguage(wanted) ? wanted : 'en');
}

/** Switches the language here and in later visits. */
export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(remembered, language);
  if (language === 'pl' && !i18n.hasResourceBundle('pl', 'translation')) {
    i18n.addResourceBundle('pl', 'translation', (await import('./pl.json')).default);
  }
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

export function isLanguage(text: string): text is Language {
  return text in languages;
}
