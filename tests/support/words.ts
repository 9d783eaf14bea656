// The console's own texts, so that a suite clicks what a reader of either language sees.

import { readFileSync } from "node:fs";

export type Language = "en" | "pl";
export type Words = (key: string, values?: Record<string, string>) => string;

const text = (language: Language) =>
  JSON.parse(readFileSync(new URL(`../../web/src/i18n/${language}.json`, import.meta.url), "utf8"));
const texts = { en: text("en"), pl: text("pl") };

/** Looks texts up in one language: `words("pl")("home.title")`. */
export function words(language: Language): Words {
  return (key, values = {}) => {
    const found = key.split(".").reduce((at: any, part) => at?.[part], texts[language]);
    if (typeof found !== "string") {
      throw new Error(`the console has no text ${key} in ${language}`);
    }
    return found.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
  };
}
