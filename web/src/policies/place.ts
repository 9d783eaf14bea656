import {
  policyPreview,
  policyRead,
  policyUpdate,
  policyVersions,
  sandboxPolicyPreview,
  sandboxPolicyRead,
  sandboxPolicyUpdate,
  sandboxPolicyVersions,
} from '../api/gen/sdk.gen';
import type { Policy } from '../api/gen/types.gen';
import { ifMatch } from '../api/transport';

/** The policy of an organisation, or of one of its sandboxes: the same four calls. */
export function policyOf(org: string, sbx?: string) {
  if (sbx) {
    const path = { org, sbx };
    return {
      key: ['sandbox', org, sbx, 'policy'],
      read: () => sandboxPolicyRead({ path }),
      update: (document: Policy | null, revision: number) => sandboxPolicyUpdate({ path, body: { document }, headers: ifMatch(revision) }),
      preview: (document: Policy | null) => sandboxPolicyPreview({ path, body: { document } }),
      versions: () => sandboxPolicyVersions({ path }),
    };
  }
  const path = { org };
  return {
    key: ['organisation', org, 'policy'],
    read: () => policyRead({ path }),
    update: (document: Policy | null, revision: number) => policyUpdate({ path, body: { document }, headers: ifMatch(revision) }),
    preview: (document: Policy | null) => policyPreview({ path, body: { document } }),
    versions: () => policyVersions({ path }),
  };
}

/** The calls of one policy. */
export type Place = ReturnType<typeof policyOf>;
