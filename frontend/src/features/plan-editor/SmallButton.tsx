import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactElement } from 'react';

/** A button beside fields. */
export function SmallButton(props: ButtonProps & ComponentPropsWithoutRef<'button'>): ReactElement {
  return <Button size="compact-xs" variant="default" style={{ alignSelf: 'flex-start' }} {...props} />;
}
