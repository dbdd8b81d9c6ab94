/** The kit's controls as links of the router: typed addresses, opened in a new tab like any link. */
import {
  ActionIcon,
  type ActionIconProps,
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactElement, Ref } from 'react';

type AsAnchor<P> = Omit<P, 'href'> &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P> & { ref?: Ref<HTMLAnchorElement> };

export const TextLink = createLink((props: AsAnchor<AnchorProps>): ReactElement => <Anchor {...props} />);
export const ButtonLink = createLink(
  (props: AsAnchor<ButtonProps>): ReactElement => <Button component="a" {...props} />,
);
export const IconLink = createLink(
  (props: AsAnchor<ActionIconProps>): ReactElement => <ActionIcon component="a" {...props} />,
);
export const NavItem = createLink(
  (props: AsAnchor<NavLinkProps>): ReactElement => <NavLink component="a" {...props} />,
);
export const MenuLink = createLink(
  (props: AsAnchor<MenuItemProps>): ReactElement => <Menu.Item component="a" {...props} />,
);
