// Prints a release's software bill of materials, in CycloneDX: the packages that npm installs with it, and those in the built files. Needs `dist/`:
// npm run -s sbom

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICES_FILE } from '../../functions/bundle/notices.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly [property: string]: unknown;
}

/** The parts of a document that are used here: https://cyclonedx.org/docs/1.5/json/ */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The packages in a lock file, by path. */
type Lock = Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;

/**
 * Returns a release's document: everything that npm installs with the package, from npm's document, and the bundled packages as its dependencies.
 *
 * @param repository the output of `npm sbom`, with development packages; `--omit dev` would also leave out shared packages
 * @param notices the texts written by functions/bundle/notices.ts
 * @param name the package's name, because npm uses the folder's name
 */
export function releaseSbom(repository: Sbom, notices: readonly string[], lock: Lock, name: string): Sbom {
  const { component } = repository.metadata;
  const installed = repository.components.filter(({ properties }) => !properties.some((each) => each.name === 'cdx:npm:package:development'));
  const titles = new Set(notices.flatMap((text) => text.match(/^\S+ \d\S* \([^)\n]+\)$/gm) ?? []));
  const bundled = [...titles].toSorted().map((title) => componentOf(title, lock));
  const known = new Set(installed.map((each) => each['bom-ref']));
  const added = bundled.filter((each) => !known.has(each['bom-ref']));
  const refs = added.map((each) => each['bom-ref']);
  const edges = repository.dependencies.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
  return {
    ...repository,
    metadata: { ...repository.metadata, component: { ...component, name } },
    components: [...installed, ...added],
    dependencies: [
      ...edges.filter(({ ref }) => known.has(ref)),
      ...edges.filter(({ ref }) => ref === component['bom-ref']).map(({ ref, dependsOn }) => ({ ref, dependsOn: [...dependsOn, ...refs] })),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

/** @param title a line from the notices, such as `react 19.3.1 (MIT)` */
function componentOf(title: string, lock: Lock): Component {
  const [, name = '', version = '', license = ''] = /^(\S+) (\S+) \((.+)\)$/.exec(title) ?? [];
  const [, locked] = Object.entries(lock).find(([path, each]) => path.endsWith(`node_modules/${name}`) && each.version === version) ?? [];
  const [, digest] = /^sha512-(.*)$/.exec(locked?.integrity ?? '') ?? [];
  if (digest === undefined) throw new Error(`${title}: package-lock.json has no SHA-512 of it`);
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    // https://github.com/CycloneDX/cyclonedx-property-taxonomy/blob/main/cdx/npm.md
    properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }],
  };
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  // No workspace is included: the client is a separate package, and the pages are bundled.
  const repository = execFileSync('npm', ['sbom', '--loglevel', 'error', '--sbom-format', 'cyclonedx', '--workspaces=false'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const notices = globSync(`dist/**/${NOTICES_FILE}`, { cwd: ROOT }).map(read);
  if (notices.length === 0) throw new Error('dist has no notices; run npm run build first');
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Lock };
  const { name } = JSON.parse(read('package.json')) as { name: string };
  console.log(JSON.stringify(releaseSbom(JSON.parse(repository) as Sbom, notices, packages, name), null, 2));
}
