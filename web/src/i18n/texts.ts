import type { TFunction } from 'i18next';
import type { Code } from '../api/gen/types.gen';
import en from './en.json';

/** The actions of the vocabulary that have a text, by their wire names. */
export const actions: string[] = Object.keys(en.action).map((key) => key.replaceAll('__', '.'));

/** What a problem or denial code means to the person. A code that this console does not know yet is shown as it is. */
export function codeText(t: TFunction, code: Code | string): string {
  return code in en.code ? t(`code.${code as keyof typeof en.code}`) : code;
}

/** An action in words. A name or prefix without a text is shown as it is. */
export function actionText(t: TFunction, action: string): string {
  const key = action.replaceAll('.', '__');
  return key in en.action ? t(`action.${key as keyof typeof en.action}`) : action;
}

/** A word of the trail. One that this console does not know yet is shown as it is. */
export function wordOf(t: TFunction, kind: 'verdict' | 'outcome', word: string): string {
  if (kind === 'verdict') return word in en.verdict ? t(`verdict.${word as keyof typeof en.verdict}`) : word;
  return word in en.outcome ? t(`outcome.${word as keyof typeof en.outcome}`) : word;
}

/** A role of either kind in words. */
export function roleText(t: TFunction, role: string): string {
  return role in en.role ? t(`role.${role as keyof typeof en.role}`) : role;
}
