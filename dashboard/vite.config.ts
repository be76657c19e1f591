import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: '/_dashboard/',
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The server's policy lets nothing run that stands in the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
