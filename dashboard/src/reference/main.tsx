import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '../styles/tokens.css';
import '../styles/style.css';
import './reference.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { theme } from '../styles/theme.ts';
import { readPage } from './page.ts';
import { Reference } from './Reference.tsx';

// The first view does without: nothing has the focus yet.
void import('../keep-focus.ts').then(({ keepFocus }) => keepFocus());
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <Reference page={readPage()} />
      </MantineProvider>
    </StrictMode>,
  );
