import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './styles/tokens.css';
import './styles/style.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { enterByLink } from './link.ts';
import { theme } from './styles/theme.ts';

const client = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: true } },
});
// The first view does without: nothing has the focus yet.
void import('./keep-focus.ts').then(({ keepFocus }) => keepFocus());
// A link that is pasted into a page that is open.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#link=')) location.reload();
});
const root = document.getElementById('root');
if (root !== null)
  void enterByLink().then(() =>
    createRoot(root).render(
      <StrictMode>
        <MantineProvider theme={theme} defaultColorScheme="auto">
          <QueryClientProvider client={client}>
            <App />
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    ),
  );
