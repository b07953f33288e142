// Compresses the built files at the highest quality, which is too slow for compression on request. This makes them a seventh smaller.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { NOTICES_FILE, noticesFor } from '../functions/bundle/notices.ts';

/** Adds a `.br` and a `.gz` file beside each script and each style sheet. @param dist the folder of the output */
export function compressed(dist: string): Plugin {
  return {
    name: 'compressed',
    closeBundle: () => {
      for (const { name, parentPath } of readdirSync(join(dist, 'assets'), { withFileTypes: true })) {
        if (!/\.(js|css)$/.test(name)) continue;
        const path = join(parentPath, name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

// Writes the notices of the packages that a page's files contain into a file beside them: the dashboard serves /third-party-notices.txt, the API
// reference serves /docs/third-party-notices.txt.

/** Modules that the bundler adds: `\0vite/preload-helper.js`, `\0rolldown/runtime.js`. */
const OF_THE_BUNDLER = /^\0(vite|rolldown)\/.*/;
const PACKAGES = join(import.meta.dirname, '../node_modules');

/** Adds the file with the notices to the output. */
export function notices(): Plugin {
  return {
    name: 'notices',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const modules = new Map<string, string[]>();
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const scripts = Object.entries(file.modules).filter(([, { renderedLength }]) => renderedLength > 0);
        modules.set(
          file.fileName,
          scripts.map(([id]) => id.replace(OF_THE_BUNDLER, `${PACKAGES}/$1/package.json`)),
        );
        const styles = Object.keys(file.modules).filter((id) => id.endsWith('.css'));
        for (const each of [...(file.viteMetadata?.importedCss ?? []), ...(file.viteMetadata?.importedAssets ?? [])])
          modules.set(each, [...(modules.get(each) ?? []), ...styles]);
      }
      this.emitFile({ type: 'asset', fileName: NOTICES_FILE, source: noticesFor(modules) });
    },
  };
}
