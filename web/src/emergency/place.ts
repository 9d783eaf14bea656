import {
  emergencyEngage,
  emergencyRead,
  emergencyReset,
  sandboxEmergencyEngage,
  sandboxEmergencyRead,
  sandboxEmergencyReset,
} from '../api/gen/sdk.gen';
import type { StopReason } from '../api/gen/types.gen';

/** The emergency stop of an organisation, or of one of its sandboxes: the same three calls. */
export function emergencyOf(org: string, sbx?: string) {
  if (sbx) {
    const path = { org, sbx };
    return {
      key: ['sandbox', org, sbx, 'emergency'],
      read: () => sandboxEmergencyRead({ path }),
      engage: (reason: StopReason) => sandboxEmergencyEngage({ path, body: { reason } }),
      reset: () => sandboxEmergencyReset({ path }),
    };
  }
  const path = { org };
  return {
    key: ['organisation', org, 'emergency'],
    read: () => emergencyRead({ path }),
    engage: (reason: StopReason) => emergencyEngage({ path, body: { reason } }),
    reset: () => emergencyReset({ path }),
  };
}

/** The calls of one emergency stop. */
export type Place = ReturnType<typeof emergencyOf>;
