// Builds the dashboard into dist/, which the embedded host serves and the stacks upload.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SOURCES = join(import.meta.dirname, 'src');

/** The design system ships the texts of all components in one file. This keeps the texts of those that the dashboard uses. */
function textsOfUsedComponents(): Plugin {
  // Components that others are built from.
  const used = new Set(['[charts]', 'popover', 'token-group']);
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))) {
    for (const [, name = ''] of readFileSync(join(SOURCES, file), 'utf8').matchAll(/@cloudscape-design\/components\/([\w-]+)'/g)) used.add(name);
  }
  return {
    name: 'texts-of-used-components',
    transform: {
      filter: { id: /components\/i18n\/messages\/all\.en\.js$/ },
      handler: (code) => {
        const all: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(
          code.replace(/^\s*export default /, '').replace(/;?\s*$/, ''),
        );
        const kept = Object.entries(all).map(([namespace, locales]) => [
          namespace,
          Object.fromEntries(
            Object.entries(locales).map(([locale, words]) => [locale, Object.fromEntries(Object.entries(words).filter(([name]) => used.has(name)))]),
          ),
        ]);
        return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
      },
    },
  };
}

/** The design system gives a <nav> an attribute that its role does not allow (WAI-ARIA 1.2, aria-orientation). */
function withoutInvalidAttribute(): Plugin {
  const ATTRIBUTE = ' "aria-orientation": "horizontal",';
  const ELEMENT = 'createElement("nav", {';
  return {
    name: 'without-invalid-attribute',
    transform: {
      filter: { id: /components\/app-layout\/visual-refresh\/mobile-toolbar\.js$/ },
      handler: (code) => {
        const at = code.indexOf(ATTRIBUTE, code.indexOf(ELEMENT));
        if (!code.includes(ELEMENT) || at < 0) throw new Error('app-layout no longer has the attribute: remove this plugin');
        return code.slice(0, at) + code.slice(at + ATTRIBUTE.length);
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), textsOfUsedComponents(), withoutInvalidAttribute()],
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
