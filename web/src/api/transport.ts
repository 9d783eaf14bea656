import { ask } from '../waits/confirmation';
import type { Problem } from './gen/types.gen';

type Send = (request: Request) => Promise<Response>;

const reads = new Set(['GET', 'HEAD']);
/** These are answered before anybody is signed in, so their 401 is an answer and not a lost sign-in. */
const open = /\/api\/v1\/(sign-in|first-owner|invitations)\//;

/**
 * The one way to the server. Gives every mutation a key that makes a repeat harmless, repeats it once when the network
 * failed, and has a person confirm what needs confirming: the caller gets the answer of the confirmed action.
 */
export function transport(send: Send, onSignedOut: () => void): Send {
  return async (request) => {
    const response = await deliver(send, request);
    if (response.status === 401 && !open.test(request.url)) onSignedOut();
    if (response.status !== 403) return response;
    const problem = await peek(response);
    if (problem?.code !== 'confirmation_required' || !problem.proposal) return response;
    return ask(problem.proposal);
  };
}

async function deliver(send: Send, request: Request): Promise<Response> {
  if (reads.has(request.method)) return send(request);
  const keyed = new Request(request);
  if (!keyed.headers.has('Idempotency-Key')) keyed.headers.set('Idempotency-Key', crypto.randomUUID());
  const again = keyed.clone();
  try {
    return await send(keyed);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return send(again);
  }
}

async function peek(response: Response): Promise<Problem | undefined> {
  if (!response.headers.get('Content-Type')?.includes('json')) return undefined;
  return response
    .clone()
    .json()
    .catch(() => undefined);
}

/** The header that makes a change fail when the resource is no longer what the person saw. */
export function ifMatch(revision: number): { 'If-Match': string } {
  return { 'If-Match': `"${revision}"` };
}
