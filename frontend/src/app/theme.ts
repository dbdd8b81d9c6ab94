import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const lode: MantineColorsTuple = [
  '#eaf1fd',
  '#d0e0fa',
  '#a3c1f5',
  '#7aa5f2',
  '#5a90ef',
  '#2f6ee4',
  '#155fd8',
  '#114fb6',
  '#0d3f92',
  '#0a2f6e',
];

const dark: MantineColorsTuple = [
  '#dfe3e8',
  '#bcc3cd',
  '#98a1ae',
  '#727c89',
  '#363d47',
  '#2a3038',
  '#1e232a',
  '#15181d',
  '#0f1216',
  '#0a0c0f',
];

export const theme = createTheme({
  colors: { lode, dark },
  primaryColor: 'lode',
  primaryShade: 6,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: { fontWeight: '650', sizes: { h3: { fontSize: '1.25rem' }, h4: { fontSize: '1.0625rem' } } },
  components: {
    TextInput: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: { transitionProps: { duration: 0 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Drawer: {
      defaultProps: { transitionProps: { duration: 0 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Menu: { defaultProps: { transitionProps: { duration: 0 }, withinPortal: true } },
    Tooltip: { defaultProps: { transitionProps: { duration: 0 }, openDelay: 250, withArrow: true } },
  },
});

/** The kit's defaults for quiet text fall short of 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': '#1f2328',
    '--mantine-color-dimmed': '#57606a',
    '--mantine-color-placeholder': '#6a737d',
    '--mantine-color-error': '#b42318',
    '--mantine-color-red-outline': '#b42318',
    '--mantine-color-yellow-outline': '#8a4b00',
    '--mantine-color-anchor': '#114fb6',
    '--mantine-color-default-border': '#d5dae0',
    '--page-ground': '#f5f6f8',
    '--line': '#e1e5ea',
    '--chart-grid': '#e8ebef',
    '--tone-neutral': '#57606a',
    '--tone-active': '#114fb6',
    '--tone-good': '#1a6b35',
    '--tone-warn': '#8a4b00',
    '--tone-bad': '#b42318',
  },
  dark: {
    '--mantine-color-text': '#dfe3e8',
    '--mantine-color-dimmed': '#98a1ae',
    '--mantine-color-placeholder': '#8a94a1',
    '--mantine-color-error': '#ff8f87',
    '--mantine-color-red-outline': '#ff8f87',
    '--mantine-color-red-light-color': '#ff8f87',
    '--mantine-color-yellow-outline': '#f0b35a',
    '--mantine-color-anchor': '#7aa5f2',
    '--mantine-color-default-border': '#363d47',
    '--page-ground': '#0f1216',
    '--line': '#2a3038',
    '--chart-grid': '#242a32',
    '--tone-neutral': '#a3acb8',
    '--tone-active': '#8ab2f7',
    '--tone-good': '#6fcf8c',
    '--tone-warn': '#f0b35a',
    '--tone-bad': '#ff8f87',
  },
});
