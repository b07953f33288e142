// The functions that CloudFront runs in front of its caches, in njs, which implements the JavaScript of the CloudFront Functions runtime.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edgeFunctionSuite } from '../../support/edge-function-cases.ts';
import { njsInstalled, runEdgeFunction } from '../../support/edge-runtimes.ts';
import { testFolder } from '../../support/folders.ts';

describe.runIf(njsInstalled)('CloudFront functions in njs', () => edgeFunctionSuite('njs'));

// If a newer njs accepts more than CloudFront does, this test no longer checks the syntax.
test.skipIf(!njsInstalled).each([
  ['destructuring', 'const [uri] = [event.request.uri]; return uri;'],
  ['for…of', 'for (const part of [event.request.uri]) return part;'],
  ['catch without a binding', 'try { return event.request.uri; } catch { return ""; }'],
  ['optional chaining', 'return event.request?.uri;'],
])('njs rejects %s', async (_feature, body) => {
  const file = join(testFolder(), 'function.js');
  writeFileSync(file, `function handler(event) { ${body} }`);
  const event = { request: { uri: '/' } };
  expect(await runEdgeFunction('node', file, [event])).toEqual(['/']);
  await expect(runEdgeFunction('njs', file, [event])).rejects.toThrow(/SyntaxError/);
});
