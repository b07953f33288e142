// Compresses the built files with the best quality, which takes too long while a client waits: a seventh smaller than what the embedded host does then.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

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
