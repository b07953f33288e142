// An upgrade from the last release replaces nothing that holds data, and its commit is in the changelog.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { releaseSettings } from '../../test/deploy/account.ts';
import { ASSEMBLY, RELEASE, unpackRelease } from '../../test/deploy/release/archive.ts';
import { IRREPLACEABLE, lossesOf } from '../../test/deploy/release/replacements.ts';
import { makeFolder, testFolder } from '../../test/support/folders.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

/** Templates by the name of their stack. */
type Templates = ReadonlyMap<string, ReturnType<Template['toJSON']>>;

function releasedTemplates(): Templates {
  const folder = makeFolder();
  unpackRelease(folder.path);
  const assembly = join(folder.path, ASSEMBLY, 'assembly-staging');
  const templates = new Map(
    globSync('*.template.json', { cwd: assembly }).map((file) => [
      basename(file).replace(/^staging(\w+?)[0-9A-F]{8}\.template\.json$/, '$1'),
      JSON.parse(readFileSync(join(assembly, file), 'utf8')),
    ]),
  );
  folder.remove();
  return templates;
}

function templatesNow(settings: Readonly<Record<string, string>>): Templates {
  const [stage] = makeStages(makeApp(testFolder()), settings, ['staging']);
  const stacks = stage?.node.children.filter(Stack.isStack) ?? [];
  return new Map(stacks.map((stack) => [stack.node.id, Template.fromStack(stack).toJSON()]));
}

const lostBy = (settings: Readonly<Record<string, string>>) => {
  const now = templatesNow(settings);
  return [...released].flatMap(([stack, template]) =>
    lossesOf(template, now.get(stack))
      .filter(({ type }) => IRREPLACEABLE.includes(type))
      .map(({ id, type, action }) => `${stack}: ${type} ${id} is ${action}`),
  );
};

const released = releasedTemplates();

describe(`an upgrade from ${RELEASE}`, () => {
  test('deletes and replaces nothing that holds data', () => {
    expect(released.size).toBeGreaterThan(7);
    expect(lostBy(releaseSettings())).toEqual([]);
  });

  test('would replace tables, buckets and the edge map under other names: this check sees it', () => {
    expect(lostBy({ ...releaseSettings(), STAGING_TABLE_PREFIX: 'other' }).join()).toMatch(/GlobalTable.*replaced/);
    const moved = lostBy({ ...releaseSettings(), STAGING_HOME: 'eu-central-1' }).join();
    expect(moved).toMatch(/KeyValueStore \w+ is replaced/);
    const { STAGING_EDGE_NAME: _, STAGING_EDGE_ZONE: __, ...without } = releaseSettings();
    expect(lostBy(without).join()).toMatch(/S3::Bucket \w+ is deleted/);
  });
});

test('the changelog has the commit of the last release', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  expect(changelog).toMatch(new RegExp(`^##+ \\[?${RELEASE.replaceAll('.', '\\.')}\\]? - \\d{4}-\\d\\d-\\d\\d\\n\\nCommit \`[0-9a-f]{7,40}\``, 'm'));
});
