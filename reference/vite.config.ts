// Builds the reference page into dist/, which the embedded host serves below /docs.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  root: import.meta.dirname,
  base: '/docs/',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows scripts and styles from files only.
    assetsInlineLimit: 0,
  },
});
