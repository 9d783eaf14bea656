import { Outlet } from '@tanstack/react-router';
import { useWatch } from '../api/watch';
import { AccessEnded } from '../ui/AccessEnded';

/** Every page of one organisation, for as long as one belongs to it. */
export function OrganisationLayout({ org }: { org: string }) {
  return useWatch(org) ? <AccessEnded /> : <Outlet />;
}
