// Builds the dashboard into dist/, which the embedded host serves and the stacks upload.

import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed, notices } from './vite-plugins.ts';

const DIST = join(import.meta.dirname, 'dist');

export default defineConfig({
  plugins: [react(), compressed(DIST), notices()],
  root: import.meta.dirname,
  build: {
    outDir: DIST,
    emptyOutDir: true,
    // The content security policy allows files from this host only.
    assetsInlineLimit: 0,
    // Browsers without module preloading load the same files a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Keeps the number of requests for the first page small by grouping the sign-in, the frame, and the code that nearly all pages share.
        codeSplitting: {
          groups: [
            { name: 'boot', test: /dashboard\/src\/boot\.ts$/, priority: 3 },
            { name: 'main', test: /dashboard\/src\/main\.tsx$/, priority: 2 },
            { name: 'lists', test: /dashboard\/src\/pages\/projects\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});
