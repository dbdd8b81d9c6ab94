import { useComputedColorScheme } from '@mantine/core';

export function useScheme(): 'light' | 'dark' {
  return useComputedColorScheme('light', { getInitialValueInEffect: false });
}
