// The extracted models contain every operation that the code calls.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODELS, uncheckablePatterns } from '../../judge/rules.ts';

const ROOT = join(import.meta.dirname, '../..');

/** botocore's names of services, where they differ from the SDK's packages. */
const IN_BOTOCORE: Readonly<Record<string, string>> = {
  'cognito-identity-provider': 'cognito-idp',
  'route-53': 'route53',
  sfn: 'stepfunctions',
};

/** Each operation that a file imports from the SDK, such as `s3:PutObject`. */
function operationsIn(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([\w-]+)'/g)].flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g)].map(([, one, all]) => `${IN_BOTOCORE[client] ?? client}:${one ?? all}`),
  );
}

const files = globSync('{adapters,platforms,functions,cli,service,infra/commands}/**/*.ts', { cwd: ROOT });
const used = new Set(files.flatMap(operationsIn));
const extracted = [...MODELS].flatMap(([service, { operations }]) => Object.keys(operations).map((name) => `${service}:${name}`));

test('models/ contains exactly the operations that the code uses', () => {
  expect(used.size).toBeGreaterThan(30);
  expect(extracted.toSorted()).toEqual([...used].toSorted());
});

test("the models are from the emulator's version of botocore", () => {
  const requirements = readFileSync(join(ROOT, 'test/deploy/requirements.txt'), 'utf8');
  const [, version] = /^botocore==(\S+)$/m.exec(requirements) ?? [];
  expect(new Set([...MODELS.values()].map(({ source }) => source))).toEqual(new Set([`botocore ${version}`]));
});

test('every pattern of the models can be checked', () => {
  expect([...MODELS].flatMap(([service, model]) => uncheckablePatterns(model).map((each) => ({ service, ...each })))).toEqual([]);
});
