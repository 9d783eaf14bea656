import type { Verification } from '../api/gen/types.gen';
import { asError, ProblemError } from '../api/problem';
import { events } from '../api/stream';

/** How many records have been checked, of how many. */
export type Progress = { checked: number; of: number };

/** Has the server verify an organisation's chains, telling how far it is, and answers the verdict. */
export async function verify(org: string, signal: AbortSignal, progress: (progress: Progress) => void): Promise<Verification> {
  const response = await fetch(`/api/v1/organisations/${org}/audit/verify`, {
    method: 'POST',
    headers: { Accept: 'text/event-stream', 'Idempotency-Key': crypto.randomUUID() },
    signal,
  }).catch((error) => {
    throw asError(error, undefined);
  });
  if (!response.ok || !response.body) throw asError(await response.json().catch(() => undefined), response);
  for await (const { event, data } of events(response.body)) {
    if (event === 'progress') progress(JSON.parse(data));
    if (event === 'result') return JSON.parse(data);
    if (event === 'failed') throw new ProblemError({ code: JSON.parse(data), status: 503 });
  }
  throw asError(undefined, undefined);
}
