import { Anchor, type AnchorProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** A link inside the console that looks like any other link. */
export const RouteLink = createLink((props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => (
  <Anchor inherit {...props} />
));

/** A link of the side bar. */
export const SideLink = createLink((props: NavLinkProps & Omit<ComponentPropsWithRef<'a'>, keyof NavLinkProps>) => <NavLink {...props} />);
