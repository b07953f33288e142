// Builds the reference page into dist/, which the embedded host serves below /docs.

import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed, notices } from '../dashboard/vite-plugins.ts';

const DIST = join(import.meta.dirname, 'dist');

export default defineConfig({
  plugins: [react(), compressed(DIST), notices()],
  root: import.meta.dirname,
  base: '/docs/',
  build: {
    outDir: DIST,
    emptyOutDir: true,
    // The content security policy allows only scripts and styles in files.
    assetsInlineLimit: 0,
  },
});
