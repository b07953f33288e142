// Builds the dashboard into dist/, which the embedded host serves and the stacks upload.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Scripts and images come as files of this host.
    assetsInlineLimit: 0,
    // One chunk of shared widgets; its size is held by a test (gzip).
    chunkSizeWarningLimit: 1_500,
  },
});
