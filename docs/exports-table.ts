// The table of all exports of the package, read from its entries in `package/`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../package');

/** What an entry exports. */
export interface Exported {
  /** As users import it. */
  readonly from: string;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Reads all entries, sorted by their names. */
export function packageExports(): readonly Exported[] {
  const files = globSync('{*,adapters/*}.ts', { cwd: FOLDER, exclude: ['build.ts'] }).toSorted();
  return files.map((file) => {
    const path = file.replace(/\.ts$/, '');
    const names = namesIn(readFileSync(join(FOLDER, file), 'utf8'));
    const of = (isType: boolean) => names.filter((each) => each.isType === isType).map(({ name }) => name);
    return { from: path === 'index' ? 'petstore-platform' : `petstore-platform/${path}`, values: of(false), types: of(true) };
  });
}

/** Entries consist of `export { … } from` and `export type { … } from`. */
function namesIn(source: string): readonly { readonly name: string; readonly isType: boolean }[] {
  const names = [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, allTypes, list = '']) =>
    list
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map((each) => ({ name: each.replace(/^type /, '').replace(/^.* as /, ''), isType: allTypes !== undefined || each.startsWith('type ') })),
  );
  return names.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the table as Markdown. */
export function exportsTable(): string {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const rows = packageExports().map(({ from, values, types }) => `| \`${from}\` | ${code(values)} | ${code(types)} |\n`);
  return ['| import | values | types |\n', '| --- | --- | --- |\n', ...rows].join('');
}
