// Builds the dashboard into dist/, which the embedded host serves and the stacks upload.

import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { designSystem } from './design-system.ts';

export default defineConfig({
  plugins: [react(), ...designSystem()],
  resolve: { alias: { 'date-fns': join(import.meta.dirname, 'without-date-fns.ts') } },
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows files from this host only.
    assetsInlineLimit: 0,
    // One chunk of shared widgets; a test limits its compressed size.
    chunkSizeWarningLimit: 1_500,
  },
});
