import { provePasskey } from '../accounts/passkey';
import { client } from '../api/gen/client.gen';
import { proposalChallenge } from '../api/gen/sdk.gen';
import type { Parked } from '../api/gen/types.gen';

/** Where a proposal is. */
export type ProposalPath = { org: string; prp: string };

/** Has the person prove presence for exactly this proposal, and answers the server's response as it came. */
export async function confirm(path: ProposalPath): Promise<Response> {
  const { publicKey } = await proposalChallenge({ path });
  const credential = await provePasskey(publicKey);
  const { response } = await client.post<Record<number, unknown>, unknown, true>({
    url: '/organisations/{org}/proposals/{prp}/confirm',
    path,
    body: { credential },
    headers: { 'Content-Type': 'application/json' },
    parseAs: 'stream',
    responseStyle: 'fields',
    throwOnError: true,
  });
  return response;
}

/** Reads from a confirmation's answer whether a second person is still needed. */
export async function parked(response: Response): Promise<Parked | undefined> {
  if (response.status !== 202) return undefined;
  const body: Partial<Parked> = await response.clone().json();
  return body.proposalId && body.state ? (body as Parked) : undefined;
}
