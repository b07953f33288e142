// The layout's dependency rules: which folders each folder may import from, and which parts of the outside world core may use.

import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The folders from which each folder may import, besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  service: ['core'],
  adapters: ['core'],
  platforms: ['core', 'adapters'],
  functions: ['core', 'service', 'platforms'],
  // The service and the edge share the limits of a listener.
  local: ['core', 'service', 'platforms', 'adapters/connections'],
  // `petstore start` runs the service.
  // The client's generated table of calls, which loads nothing.
  cli: ['core', 'service', 'platforms', 'local/run.ts', 'client/control-generated.ts'],
  // Runs outside of the project as well, against adapters that are not part of it.
  testing: ['core', 'service'],
  // What the published package exports, one file per subpath.
  package: ['core', 'service', 'adapters', 'platforms', 'functions', 'local', 'infra', 'testing', 'client'],
  // The stacks use only names from the other folders: names of stages, functions, parameters, tables and metrics, routes, and settings.
  infra: [
    ...['core', 'functions/bundle/bundles.ts', 'platforms/aws/stage-name.ts', 'platforms/aws/stage-parameters.ts'],
    ...[
      'adapters/store/dynamodb/tables.ts',
      'adapters/edge/stage-tag.ts',
      'adapters/edge/failover.ts',
      'adapters/sites/log-fields.ts',
      'adapters/dns/name-server.ts',
    ],
    // The functions' variables.
    'platforms/aws/function-settings.ts',
    ...['service/metric-names.ts', 'service/http/cors-headers.ts', 'service/catalogue/operations.ts', 'service/control/operation.ts'],
  ],
  // The commands work on deployed stages, as the command line does.
  'infra/commands': ['infra', 'core', 'platforms'],
  // The client is a separate package; only its generator reads the documents.
  client: ['service/catalogue/openapi.ts', 'service/control/openapi.ts'],
  // The dashboard knows the API's types only, which are the client's, and shares with the service and the command line how files are checked and sent, how
  // a pasted name is read, how changes of a configuration are put into words, how usage is written as CSV, what emails are about, and what an invitation's link is.
  dashboard: [
    'core/identity/sign-in-settings.ts',
    'core/text.ts',
    'client/control-generated.ts',
    'core/projects/manifest.ts',
    'core/publishing',
    'core/http/api-error.ts',
    'core/notifications/labels.ts',
    'core/domains/configuration-changes.ts',
    'core/domains/pasted-host.ts',
    'core/limits/usage-view.ts',
    'core/audit/actions.ts',
    'core/access/invitation-link.ts',
    // Of the build: the notices of what is bundled.
    'functions/bundle/notices.ts',
  ],
};

/** Pure libraries, and the pure parts of Node. */
const CORE_PACKAGES = ['zod', 'zod/v4/core', 'tldts', 'negotiator', 'fresh', 'node:crypto', 'node:zlib', 'node:net', 'node:url', 'node:stream'];

/** What authors of adapters install to run the contract suites, besides the parts of Node. */
const TESTING_PACKAGES = ['expect', 'fast-check'];

const files = globSync(
  `{${Object.keys(ALLOWED)
    .filter((layer) => !layer.includes('/'))
    .join(',')}}/**/*.{ts,tsx}`,
  {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|infra\/test)(\/|$)/.test(String(name)),
  },
);

const found = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const known = found.get(file) ?? readImports(readFileSync(join(ROOT, file), 'utf8'));
  found.set(file, known);
  return known;
}

function readImports(source: string): readonly string[] {
  return [
    ...source.matchAll(/(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s+['"]([^'"]+)['"]/g),
  ].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '');
}

/** The project's own files that a file imports, types among them. */
function filesImportedBy(file: string): readonly string[] {
  return importsOf(file).flatMap((imported) => (/^\..*\.tsx?$/.test(imported) ? [relative(ROOT, resolve(ROOT, dirname(file), imported))] : []));
}

/** The files, and those that they import, however indirectly. */
function reachedFrom(start: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const imported of filesImportedBy(file)) visit(imported);
  };
  for (const file of start) visit(file);
  return reached;
}

/** Imports that exist at run time, and are loaded with the file. */
function valueImportsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/(?:^|\n)(?:import|export)\s+(?!type\b)(?:([^'"]*?)\sfrom\s*)?['"]([^'"]+)['"]/g)].flatMap(
    ([, names = '', from = '']) =>
      // `import { type A, type B } from` loads nothing but the file itself.
      /^\{\s*(?:type [^,}]+,?\s*)+\}$/.test(names) && !from.startsWith('.') ? [] : [from],
  );
}

function staticallyReachedFrom(start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const imported of valueImportsOf(file)) if (/^\..*\.ts$/.test(imported)) visit(relative(ROOT, resolve(ROOT, dirname(file), imported)));
  };
  visit(start);
  return reached;
}

/** Every file of the repository, tests and tools among them. */
const everywhere = globSync('*/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|dist|coverage|cdk\.out)(\/|$)/.test(String(name)),
});

describe('layers', () => {
  test('source files and their imports are found', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(importsOf('core/limits/admit.ts')).toEqual(['../access/plans.ts', ...['./ban.ts', './decide.ts', './refusal-record.ts', './windows.ts']]);
  });

  test('a file imports only what its layer may', () => {
    const refused = files.flatMap((file) => {
      const [top = '', second] = file.split('/');
      const layer = `${top}/${second}` in ALLOWED ? `${top}/${second}` : top;
      const allowed = [`${layer}/`, ...(ALLOWED[layer] ?? [])];
      const targets = importsOf(file).flatMap((imported) =>
        imported.startsWith('.') ? [relative(ROOT, resolve(ROOT, dirname(file), imported))] : [],
      );
      return targets.filter((target) => !allowed.some((prefix) => target.startsWith(prefix))).map((target) => `${file} imports ${target}`);
    });
    expect(refused).toEqual([]);
  });

  test('no file imports itself by way of others, types among them', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const imported of filesImportedBy(file)) visit(imported, [...path, file]);
      done.add(file);
    };
    for (const file of everywhere) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('adapters are combined only in platforms', () => {
    const elsewhere = files.filter((file) => !/^(adapters|platforms|infra|package)\//.test(file));
    const imports = elsewhere.flatMap((file) => importsOf(file).map((imported) => relative(ROOT, resolve(ROOT, dirname(file), imported))));
    // Connection limits implement no port.
    expect(imports.filter((target) => /^adapters\/(?!connections\/)/.test(target))).toEqual([]);
    expect(imports.filter((target) => target.startsWith('platforms/'))).not.toEqual([]);
  });

  test("owners' commands through the control API import nothing of an operator's", () => {
    const imports = ['remote', 'on-control-api'].flatMap((name) => importsOf(`cli/owner/${name}.ts`));
    expect(imports.filter((imported) => /operator|in-process|platforms/.test(imported))).toEqual([]);
  });

  test("an operator's commands load only the operations that they need, because the tables of all of them take longer than their work", () => {
    const reached = [...staticallyReachedFrom('cli/owner/operator.ts')];
    expect(reached).toContain('cli/owner/in-process.ts');
    expect(reached.filter((file) => file.startsWith('service/control/resources/'))).toEqual([]);
  });

  test('the judge of AWS emulators imports nothing of the project but what its tests share with others', () => {
    const own = everywhere.filter((file) => file.startsWith('judge/'));
    expect(own.length).toBeGreaterThan(30);
    const foreign = own.flatMap((file) =>
      filesImportedBy(file)
        .filter((target) => !target.startsWith('judge/'))
        .map((target) => [file, target]),
    );
    expect(foreign.filter(([file = '', target = '']) => !(/^judge\/test\/|vitest/.test(file) && target.startsWith('test/support/')))).toEqual([]);
    const loaded = [...staticallyReachedFrom('judge/rules.ts')].flatMap(valueImportsOf);
    expect(loaded.filter((name) => !/^(\.|node:)/.test(name))).toEqual([]);
  });

  test('others import the entries of the judge only', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'judge/package.json'), 'utf8')) as { exports: Record<string, string> };
    const entries = Object.values(exports).map((entry) => join('judge', entry));
    const imported = everywhere.filter((file) => !file.startsWith('judge/')).flatMap(filesImportedBy);
    const used = new Set(imported.filter((target) => target.startsWith('judge/')));
    expect([...used].toSorted()).toEqual(entries.toSorted());
  });

  test('what the dashboard imports runs in a browser', () => {
    const reached = [...reachedFrom(files.filter((file) => file.startsWith('dashboard/src/')))].filter((file) => file.startsWith('core/'));
    expect(reached).not.toEqual([]);
    for (const file of reached) expect(importsOf(file).filter((imported) => imported.startsWith('node:'))).toEqual([]);
  });

  test('constructs and alarms know no stage', () => {
    // Other applications use the constructs, with plain properties.
    const constructs = files.filter((file) => /^infra\/(constructs|alarms)\//.test(file));
    expect(constructs.length).toBeGreaterThan(10);
    const refused = constructs.filter((file) => filesImportedBy(file).some((target) => /^infra\/(stacks\/|[^/]+$)/.test(target)));
    expect(refused).toEqual([]);
  });

  test.each(files.filter((file) => /^package\/(?!build|release)/.test(file)))('%s loads only the optional packages that it is for', (entry) => {
    const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { peerDependencies: Record<string, string> };
    const its = /^package\/(infra|testing)|adapters\/(dynamodb|route53|s3|ses)/
      .exec(entry)
      ?.slice(1)
      .find((name) => name !== undefined);
    const allowed = { infra: /^(aws-cdk-lib|constructs)/, testing: /^(expect|fast-check)$/ }[its ?? ''] ?? (its === undefined ? /^$/ : /^@aws-sdk\//);
    const packages = [...staticallyReachedFrom(entry)].flatMap((file) => valueImportsOf(file).filter((imported) => !imported.startsWith('.')));
    const optional = packages.filter((name) => Object.keys(peerDependencies).some((peer) => name === peer || name.startsWith(`${peer}/`)));
    expect(optional.filter((name) => !allowed.test(name))).toEqual([]);
  });

  test('settings of stages are read without the CDK, which npm ci does not install', () => {
    const packages = [...staticallyReachedFrom('infra/stages.ts')].flatMap((file) => valueImportsOf(file).filter((name) => !name.startsWith('.')));
    expect(packages.filter((name) => /^(aws-cdk-lib|constructs)/.test(name))).toEqual([]);
  });

  test('commands read the data folder without what only a service needs, which takes them longer than their work', () => {
    const packages = [...staticallyReachedFrom('platforms/embedded/folder.ts')].flatMap(valueImportsOf).filter((name) => !name.startsWith('.'));
    expect(packages).toContain('node:sqlite');
    expect(packages.filter((name) => /^(oidc-provider|jose|@peculiar|nodemailer|@aws-sdk|@aws-lambda-powertools)(\/|$)/.test(name))).toEqual([]);
  });

  test('every adapter is part of a platform', () => {
    const reached = reachedFrom(files.filter((each) => /^(platforms|local|infra)\//.test(each)));
    // In-memory adapters, for tests and benchmarks only.
    const unused = files.filter((file) => file.startsWith('adapters/') && !file.startsWith('adapters/store/memory/') && !reached.has(file));
    expect(unused).toEqual([]);
  });

  test('core is pure', () => {
    const impure = /Date\.now\(|new Date\(\)|Math\.random\(|randomBytes\(\d|randomUUID|setTimeout|process\.env|fetch\(/;
    const refused = files
      .filter((file) => file.startsWith('core/'))
      .flatMap((file) => {
        const packages = importsOf(file).filter((imported) => !imported.startsWith('.') && !CORE_PACKAGES.includes(imported));
        const [used] = impure.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
        return [...packages, ...(used === undefined ? [] : [used])].map((what) => `${file}: ${what}`);
      });
    expect(refused).toEqual([]);
  });

  test('contract suites run in any test runner', () => {
    const refused = files
      .filter((file) => file.startsWith('testing/'))
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => !/^(\.|node:(?!test$))/.test(imported) && !TESTING_PACKAGES.includes(imported));
    expect(refused).toEqual([]);
  });

  test('Node modules are imported by their full name', () => {
    for (const file of files)
      for (const imported of importsOf(file).filter((name) => !name.startsWith('node:')))
        expect(builtinModules, `${file} imports ${imported}`).not.toContain(imported);
  });

  // Files share processes, so what a support module does when it is loaded only affects the first file. test/support/setup.ts is loaded for each.
  test('support modules set up nothing when they are loaded', () => {
    const modules = globSync('{test,infra/test,postgres/test,judge/test}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules'] }).filter(
      (file) => !/\.(test|packed|deployed)\.ts$/.test(file) && file !== 'test/support/setup.ts',
    );
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.filter((file) => /^(vi\.|(before|after)(All|Each)\()/m.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
});
