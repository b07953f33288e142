// The software bill of materials of a release, from what npm prints and from notices.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noticesFor } from '../functions/bundle/notices.ts';
import { releaseSbom } from '../package/release/sbom.ts';

const ROOT = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version: string; integrity: string }>;
};
const refOf = (name: string) => `${name}@${packages[`node_modules/${name}`]?.version}`;
const component = (name: string, isForDevelopment = false) => ({
  'bom-ref': refOf(name),
  name,
  properties: isForDevelopment ? [{ name: 'cdx:npm:package:development', value: 'true' }] : [],
});

test('lists what npm installs and what is bundled, each once, as a dependency of the package', () => {
  const repository = {
    metadata: { component: { 'bom-ref': 'petstore-platform@1.0.0', name: 'a-folder', properties: [] } },
    components: [component('zod'), component('vitest', true), component('react', true)],
    dependencies: [
      { ref: 'petstore-platform@1.0.0', dependsOn: [refOf('zod'), refOf('vitest'), refOf('react')] },
      { ref: refOf('zod'), dependsOn: [] },
      { ref: refOf('vitest'), dependsOn: [] },
    ],
  };
  const modules = ['zod', 'react', '@aws-sdk/client-ssm'].map((name) => join(ROOT, 'node_modules', name, 'index.js'));
  const notices = [noticesFor(new Map([['index.mjs', modules]])), noticesFor(new Map([['assets/main.js', modules]]))];
  const sbom = releaseSbom(repository, notices, packages, 'petstore-platform');
  expect(sbom.metadata.component).toMatchObject({ 'bom-ref': 'petstore-platform@1.0.0', name: 'petstore-platform' });
  const refs = [refOf('zod'), refOf('@aws-sdk/client-ssm'), refOf('react')];
  expect(sbom.components.map((each) => each['bom-ref'])).toEqual(refs);
  expect(sbom.components[1]).toMatchObject({
    purl: `pkg:npm/%40${refOf('@aws-sdk/client-ssm').slice(1)}`,
    properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(packages['node_modules/@aws-sdk/client-ssm']?.integrity.slice(7) ?? '', 'base64').toString('hex') },
    ],
    licenses: [{ license: { id: 'Apache-2.0' } }],
  });
  expect(sbom.dependencies).toContainEqual({ ref: 'petstore-platform@1.0.0', dependsOn: refs });
  expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(['petstore-platform@1.0.0', ...refs].toSorted());
});

test('needs the hash of every package', () => {
  const empty = { metadata: { component: component('zod') }, components: [], dependencies: [] };
  expect(() => releaseSbom(empty, ['someone 1.0.0 (MIT)'], packages, 'petstore-platform')).toThrow(
    'someone 1.0.0 (MIT): package-lock.json has no SHA-512 of it',
  );
});
