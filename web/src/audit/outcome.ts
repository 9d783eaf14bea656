const colours: Record<string, string> = { done: 'teal', denied: 'red', aborted: 'gray', failed: 'red', parked: 'orange' };

/** How an outcome is marked. */
export function outcomeColour(outcome: string): string {
  return colours[outcome] ?? 'gray';
}
