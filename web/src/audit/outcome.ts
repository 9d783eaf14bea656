/** How an outcome is marked. */
export const outcomeColours = { done: 'teal', denied: 'red', aborted: 'gray', failed: 'red', parked: 'orange' } as const;
