// The README's program judges calls.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freePort } from '../../test/support/ports.ts';
import { startStandIn } from './support/emulator-stand-in.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'judge/README.md'), 'utf8');
const [, program = ''] = /```ts\n(.*?)```/s.exec(README) ?? [];

/** Parameter names have at least one character. */
const getParameter = (name: string) => `await fetch('http://localhost:4567/', {
  method: 'POST',
  headers: {
    authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/ssm/aws4_request, SignedHeaders=host, Signature=0',
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AmazonSSM.GetParameter',
  },
  body: JSON.stringify({ Name: '${name}' }),
});`;

test.each([
  ['a correct request', '/a', 0, ''],
  ['a request that AWS refuses', '', 1, 'AWS would refuse the request: ssm:GetParameter'],
])('README.md: %s', async (_, name, code, printed) => {
  const standIn = await startStandIn();
  const port = await freePort();
  const run = program
    .replace(/^\/\/ Run programs.*$/m, getParameter(name))
    .replaceAll('4566', String(standIn.port))
    .replaceAll('4567', String(port));
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', run], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  await standIn.stop();
  expect([child.exitCode, standIn.requests.length, errors]).toEqual([code, 1 - code, expect.stringContaining(printed)]);
});
