import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useWatch } from '../api/watch';
import { Place } from '../ui/Place';
import { organisation } from './queries';

/** Every page of one organisation, for as long as one belongs to it. */
export function OrganisationLayout({ org }: { org: string }) {
  const ended = useWatch(org);
  const query = useQuery({ ...organisation(org), enabled: !ended });
  return (
    <Place query={query} ended={ended}>
      {() => <Outlet />}
    </Place>
  );
}
