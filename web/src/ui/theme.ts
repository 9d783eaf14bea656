import { type CSSVariablesResolver, createTheme, Drawer, Modal } from '@mantine/core';

// A dialog's heading is not the page's banner, so its element has no landmark of its own.
const quietHeader = { attributes: { header: { role: 'none' } } };

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
  components: { Modal: Modal.extend({ defaultProps: quietHeader }), Drawer: Drawer.extend({ defaultProps: quietHeader }) },
});

/** Mantine's greys and tinted texts are too faint to be read on its tinted grounds: these reach 4.5 to 1. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#495057',
    '--mantine-color-placeholder': '#5c636a',
    '--mantine-color-teal-outline': '#055c46',
    '--mantine-color-teal-light-color': '#055c46',
    '--mantine-color-orange-outline': '#963204',
    '--mantine-color-orange-light-color': '#8a2e04',
    '--mantine-color-red-outline': '#b02525',
    '--mantine-color-red-light-color': '#a01e1e',
    '--mantine-color-gray-outline': '#495057',
    '--mantine-color-gray-light-color': '#343a40',
    '--mantine-color-blue-light-color': '#0b4f8f',
    '--mantine-color-indigo-light-color': '#2b3fa0',
    '--mantine-color-error': '#b02525',
  },
  dark: {
    '--mantine-color-dimmed': '#b8b8b8',
    '--mantine-color-placeholder': '#a0a0a0',
    '--mantine-color-red-outline': '#ff8787',
    '--mantine-color-error': '#ff8787',
  },
});
