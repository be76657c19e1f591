import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './style.css';
import { Alert, createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  // Only what has gone wrong interrupts a reader of the screen; that says so itself.
  components: { Alert: Alert.extend({ defaultProps: { role: 'note' } }) },
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
