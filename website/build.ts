// Builds the site with `npm run build:website`, into an optional folder: the pages, the reference page of both APIs, and the documents that it reads.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { openApiDocument } from '../service/catalogue/openapi.ts';
import { controlOpenApi } from '../service/control/openapi.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = process.argv[2] ?? join(import.meta.dirname, 'dist');

await build(import.meta.dirname, { outDir: OUT });
cpSync(join(ROOT, 'reference/dist'), join(OUT, 'docs'), { recursive: true });
// Marks the reference page as a copy, which can't send requests.
const reference = join(OUT, 'docs/index.html');
writeFileSync(reference, readFileSync(reference, 'utf8').replace('</title>', '</title>\n    <meta name="petstore:copy" content="">'));
for (const [folder, document] of [
  ['v1', openApiDocument()],
  ['dashboard/v1', controlOpenApi()],
] as const) {
  mkdirSync(join(OUT, folder), { recursive: true });
  writeFileSync(join(OUT, folder, 'openapi.json'), JSON.stringify(document));
}
