import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: './',
  experimental: {
    // Relative to the page, which has no slash at its end: an application may have mounted the API under any path.
    renderBuiltUrl: (name, { hostId, hostType }) => {
      if (hostType !== 'html') return { relative: true };
      return `${hostId.endsWith('reference.html') ? '_docs' : '_dashboard'}/${name}`;
    },
  },
  build: {
    outDir: '../dist/dashboard',
    rolldownOptions: { input: ['index.html', 'reference.html'] },
    emptyOutDir: true,
    // The server's policy lets nothing run that stands in the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
