import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: './',
  experimental: {
    // Relative to the page, which has no slash at its end: an application may have mounted the API under any path.
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'html' ? `_dashboard/${name}` : { relative: true },
  },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The server's policy lets nothing run that stands in the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
