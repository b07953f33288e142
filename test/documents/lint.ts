// `npm run lint:documents`: checks both OpenAPI documents with the rules of Redocly and Spectral. Warnings fail, as errors do.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../../service/catalogue/openapi.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';

const PROGRAMS = join(import.meta.dirname, 'node_modules/.bin');
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

if (!existsSync(PROGRAMS)) {
  console.error('the linters are not installed; run npm ci --prefix test/documents');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'petstore-documents-'));
try {
  const files = Object.entries({ catalogue: openApiDocument(), control: controlOpenApi() }).map(([name, document]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(document, null, 2));
    return file;
  });
  // In the strict ruleset, all warnings are errors.
  const clean = [
    run('redocly', ['lint', '--extends', 'recommended-strict', '--format', 'stylish', ...files]),
    run('spectral', ['lint', '--ruleset', join(import.meta.dirname, 'spectral.yaml'), '--fail-severity', 'hint', ...files]),
  ];
  process.exitCode = clean.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Uses the Node version that runs this script: the linters need a newer version than the PATH may contain. */
function run(program: string, args: readonly string[]): boolean {
  const { status } = spawnSync(process.execPath, [join(PROGRAMS, program), ...args], { stdio: 'inherit', env: { ...process.env, ...QUIET } });
  return status === 0;
}
