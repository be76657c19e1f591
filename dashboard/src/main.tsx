import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './style.css';
import {
  Alert,
  Anchor,
  Autocomplete,
  Combobox,
  createTheme,
  DEFAULT_THEME,
  MantineProvider,
  MultiSelect,
  Select,
  TagsInput,
  type MantineColorsTuple,
} from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, type MouseEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';

/** A colour of the library whose main shade is dark enough for text on white, and for white text on it. */
function darker(name: string, shade: string, pressed: string): MantineColorsTuple {
  const [a, b, c, d, e, f, g] = DEFAULT_THEME.colors[name] ?? DEFAULT_THEME.colors.gray;
  return [a, b, c, d, e, f, g, shade, pressed, pressed];
}

/** A menu scrolls as the list box that it is, which those who cannot see it are led through by its input. */
const menu = {
  defaultProps: {
    withScrollArea: false,
    styles: { options: { maxHeight: 260, overflowY: 'auto' } },
  },
} as const;

/** Where only what is offered can be chosen, Enter takes the first that fits what was typed. */
const choice = {
  defaultProps: { ...menu.defaultProps, selectFirstOptionOnChange: true },
} as const;

/** Who clicks on what is chosen means to type something else: the first letter takes its place. */
const replaced = {
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>): void => {
    if (!currentTarget.readOnly) currentTarget.select();
  },
};

const theme = createTheme({
  colors: {
    red: darker('red', '#c92a2a', '#a82020'),
    orange: darker('orange', '#b34700', '#943b00'),
  },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  // Only what has gone wrong interrupts a reader of the screen; that says so itself.
  components: {
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    Alert: Alert.extend({ defaultProps: { role: 'note' } }),
    // A menu is where its input is: in the same part of the page, and in the dialog that shuts off all else.
    Combobox: Combobox.extend({ defaultProps: { withinPortal: false } }),
    Select: Select.extend({ defaultProps: { ...choice.defaultProps, ...replaced } }),
    MultiSelect: MultiSelect.extend(choice),
    TagsInput: TagsInput.extend(menu),
    Autocomplete: Autocomplete.extend({ defaultProps: { ...menu.defaultProps, ...replaced } }),
  },
});
const client = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true } },
});
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <QueryClientProvider client={client}>
          <App />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
