import type { Policy, PolicyRule } from '../api/gen/types.gen';

/** A rule while it is edited. The key keeps fields in place when rules are added, moved or removed. */
export type RuleRow = PolicyRule & { key: string };

/** The rules of a document, ready to be edited. */
export function toRows(document: Policy): RuleRow[] {
  return document.rules.map((rule) => ({ ...rule, key: crypto.randomUUID() }));
}

/** The document that the rows make. */
export function toDocument(rows: RuleRow[]): Policy {
  return {
    version: 1,
    rules: rows.map(({ action, decision, requires, priority, reason }) => ({
      action: action.trim(),
      decision,
      priority,
      ...(requires ? { requires } : {}),
      ...(reason?.trim() ? { reason: reason.trim() } : {}),
    })),
  };
}

/** The number of the rule that a problem's pointer is about. */
export function ruleOf(pointer: string): number | undefined {
  const found = /\/rules\/(\d+)/.exec(pointer)?.[1];
  return found === undefined ? undefined : Number(found);
}
