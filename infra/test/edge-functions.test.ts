// The code of the CloudFront functions in the templates, which is what CloudFront runs: it stays within the runtime's limits, and runs in njs.

import { afterAll, describe, expect, test } from 'vitest';
import { edgeFunctionSuite, FUNCTIONS } from '../../test/support/edge-function-cases.ts';
import { MAX_BYTES, RUNTIME } from '../../test/support/edge-language/features.ts';
import { lintEdgeFunction } from '../../test/support/edge-language/lint.ts';
import { njsInstalled } from '../../test/support/edge-runtimes.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

/** The file of each function, by the last part of the function's name. */
const FILES: Readonly<Record<string, string>> = { 'viewer-request': 'viewer-request.js', dashboard: 'one-page.js' };

const folder = makeFolder();
afterAll(() => folder.remove());

describe.each(
  makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map((stage) => [
    stage.stageName,
    deployedStage(stage).resources('AWS::CloudFront::Function'),
  ]),
)('CloudFront functions of %s', (stageName, functions) => {
  const codes = new Map(
    functions.map(({ properties: { Name, FunctionCode } }) => [FILES[Name.slice(`petstore-${stageName}-`.length)], FunctionCode]),
  );

  test('are all tested here', () => {
    expect([...codes.keys()].sort()).toEqual(FUNCTIONS.map(([file]) => file).sort());
    for (const { properties } of functions) expect(properties.FunctionConfig.Runtime).toBe(RUNTIME);
  });

  test.each([...codes])('%s is small enough, and uses only what the runtime has', (_file, code) => {
    // A string: with a reference to another resource, the code would change after these checks.
    expect(code).toEqual(expect.any(String));
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(MAX_BYTES);
    expect(lintEdgeFunction(code)).toEqual([]);
  });

  describe.runIf(njsInstalled)('in njs', () => edgeFunctionSuite('njs', (file) => String(codes.get(file))));
});
