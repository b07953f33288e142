// Cold: a fresh process imports the bundle and gives its first answer, beside the same bundle as a stock tool would make it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { API_ENTRY, BUNDLE_OPTIONS } from '../functions/bundle/options.ts';
import { alternate, bar, report } from './measure.ts';

/** Asks without a key: the answer that needs no storage, so that only our own start is timed. */
const PROBE = `
  const started = process.hrtime.bigint();
  const { handler } = await import(process.argv[1]);
  const answer = await handler({ version: '2.0', rawPath: '/v1/pets', rawQueryString: '', headers: {}, isBase64Encoded: false,
    requestContext: { domainName: 'x', requestId: 'cold', http: { method: 'GET', path: '/v1/pets', sourceIp: '192.0.2.1' } } }, {});
  console.log(JSON.stringify({ status: answer.statusCode, ms: Number(process.hrtime.bigint() - started) / 1e6 }));
`;

const ENVIRONMENT = {
  PETS_TABLE: 'pets',
  USAGE_TABLE: 'usage',
  CONTROL_TABLE: 'control',
  AWS_REGION: 'us-east-1',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
};

export async function benchCold(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-cold-'));
  try {
    const bundles = [
      ['ours', BUNDLE_OPTIONS],
      [
        "ours, bundled with esbuild's defaults",
        { bundle: true, minify: true, platform: 'node', target: 'node24', format: 'esm', banner: BUNDLE_OPTIONS.banner ?? {} },
      ],
    ] as const;
    const candidates = [];
    for (const [index, [name, options]] of bundles.entries()) {
      const outfile = join(folder, `${index}.mjs`);
      await build({ ...options, entryPoints: [API_ENTRY], outfile });
      const kilobytes = statSync(outfile).size / 1_000;
      console.log(`\nBundle, ${name}: ${kilobytes.toFixed(1)} KB minified, the SDK inside`);
      if (index === 0) bar('API bundle in KB', kilobytes, 'at most', 450);
      candidates.push({ name, run: () => firstAnswer(outfile) });
    }
    report('Cold: import to first answer, in a fresh process', 'ms', await alternate(candidates, rounds));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function firstAnswer(bundle: string): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROBE, bundle], {
    env: { ...process.env, ...ENVIRONMENT },
    encoding: 'utf8',
  });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  assert.match(line, /^\{"status":401/, stderr);
  return JSON.parse(line).ms;
}
