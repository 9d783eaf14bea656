import { provePasskey } from '../accounts/passkey';
import { client } from '../api/gen/client.gen';
import { proposalChallenge } from '../api/gen/sdk.gen';

/** Where a proposal is. */
export type ProposalPath = { org: string; prp: string };

/** Has the person prove presence for exactly this proposal, and answers the server's response as it came. */
export async function confirm(path: ProposalPath): Promise<Response> {
  const { publicKey } = await proposalChallenge({ path });
  const credential = await provePasskey(publicKey);
  const { response } = await client.post<Record<number, unknown>, unknown, true>({
    url: '/api/v1/organisations/{org}/proposals/{prp}/confirm',
    path,
    body: { credential },
    headers: { 'Content-Type': 'application/json' },
    parseAs: 'stream',
    responseStyle: 'fields',
    throwOnError: true,
  });
  return response;
}

/** Whether a confirmation's answer says that a second person is still needed. */
export function isParked(response: Response): boolean {
  return response.status === 202;
}
