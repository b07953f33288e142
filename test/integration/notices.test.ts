// The notices beside the built pages, compared with the source maps of the same builds: each script and each style with the code of others is named.

import { join } from 'node:path';
import { build, loadConfigFromFile, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { NOTICES_FILE } from '../../functions/bundle/notices.ts';

const ROOT = join(import.meta.dirname, '../..');

test.each([
  ['dashboard', ['react-dom', '@fontsource-variable/figtree', 'oidc-client-ts', 'vite', 'rolldown']],
  ['reference', ['react-dom', 'scheduler', 'rolldown']],
])('every file of %s that has the code of others is named in its notices', async (name, some) => {
  const loaded = await loadConfigFromFile({ command: 'build', mode: 'production' }, join(ROOT, name, 'vite.config.ts'));
  const config = loaded?.config ?? {};
  // It would compress the files that other tests serve.
  const plugins = (await Promise.all((config.plugins ?? []).flat()))
    .flat()
    .filter((plugin) => plugin && 'name' in plugin && plugin.name !== 'compressed');
  const built = await build({ ...config, plugins, configFile: false, logLevel: 'error', build: { ...config.build, write: false, sourcemap: true } });
  const { output } = built as Rolldown.RolldownOutput;
  const notices = output.find(({ fileName }) => fileName === NOTICES_FILE);
  const text = notices?.type === 'asset' ? String(notices.source) : '';
  const named = new Map(
    [...text.matchAll(/^(assets\/\S+): (.*)$/gm)].map(([, file = '', packages = '']) => [file, packages.replace(/ [^ ]+ \([^,]+\)/g, '')]),
  );
  for (const file of output) {
    if (file.type === 'chunk') {
      const packages = (file.map?.sources ?? []).flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
      for (const each of new Set(packages)) expect(named.get(file.fileName)?.split(', '), file.fileName).toContain(each);
    } else if (/\.woff2$/.test(file.fileName)) expect(named.get(file.fileName) ?? '', file.fileName).toContain('@fontsource-variable/figtree');
  }
  for (const each of some) expect([...named.values()].join(', ').split(', ')).toContain(each);
  const present = new Set(output.map(({ fileName }) => fileName));
  expect([...named.keys()].filter((file) => !present.has(file))).toEqual([]);
});
