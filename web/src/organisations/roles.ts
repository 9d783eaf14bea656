import type { OrganisationRole } from '../api/gen/types.gen';

/** The roles of an organisation, widest first. */
export const organisationRoles: OrganisationRole[] = ['owner', 'admin', 'auditor', 'member'];
