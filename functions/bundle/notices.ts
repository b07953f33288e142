// The notices that come with bundles, from the installed packages: licenses such as MIT and Apache-2.0 allow copies only with their text.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the file with the notices; it is in the folder of the bundles. */
export const NOTICES_FILE = 'third-party-notices.txt';

/** `NOTICE` is for Apache-2.0, section 4(d); the third alternative is for licenses of code that a package has copied from others. */
const TEXT_FILE = /^(?:licen[cs]e|notice|third-party-licen[cs]es?)(?:\.txt|\.md)?$/i;

/** Notices that are not in any file of the package. */
const ADDED: Readonly<Record<string, string>> = {
  tldts:
    'Contains data from the Public Suffix List, https://publicsuffix.org/list/, under the Mozilla Public License 2.0, https://www.mozilla.org/MPL/2.0/.',
};

/** Used for packages without a license file: https://spdx.org/licenses/MIT.html */
const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.`;

/**
 * Returns a folder's notices: each file's packages, and their licenses, each text once. @throws Error for a package without a license text
 * @param modules the paths of the modules in each file; those outside `node_modules` are ours
 */
export function noticesFor(modules: ReadonlyMap<string, readonly string[]>): string {
  const files = [...modules]
    .map(([file, paths]) => ({ file, folders: new Set(paths.flatMap(packageFolder)) }))
    .filter(({ folders }) => folders.size > 0)
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const all = new Set(files.flatMap(({ folders }) => [...folders]));
  const titles = new Map([...all].map((folder) => [folder, titleOf(folder)]));
  const namesOf = (folders: Iterable<string>) => [...new Set([...folders].map((folder) => titles.get(folder) ?? ''))].toSorted();
  return [
    'Each of these files contains code from the packages listed after its name, whose licenses follow. Files that end in .br or .gz are compressed copies.\n',
    ...files.map(({ file, folders }) => `${file}: ${namesOf(folders).join(', ')}`),
    ...[...Map.groupBy(all, textOf)]
      .map(([text, folders]) => ({ text, names: namesOf(folders) }))
      .toSorted((a, b) => ((a.names[0] ?? '') < (b.names[0] ?? '') ? -1 : 1))
      .map(({ text, names }) => `\n${'='.repeat(80)}\n${names.join('\n')}\n${'-'.repeat(80)}\n\n${text}`),
    '',
  ].join('\n');
}

/** Returns the folder of a module's package; none for our own modules. */
function packageFolder(path: string): string[] {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? [];
}

function titleOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Readonly<Record<string, string>>;
  return `${name} ${version} (${license})`;
}

function textOf(folder: string): string {
  const title = titleOf(folder);
  const files = readdirSync(folder)
    .filter((name) => TEXT_FILE.test(name))
    .toSorted();
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  if (!files.some((name) => /^licen[cs]e/i.test(name))) {
    // Without a license file, the authors are in the documentation.
    const readme = existsSync(join(folder, 'README.md')) ? readFileSync(join(folder, 'README.md'), 'utf8') : '';
    const [, section] = /^## License$(.*?)(?:^#|$(?![\s\S]))/ms.exec(readme) ?? [];
    if (section === undefined)
      throw new Error(`${title} has no license file, and no section "License" in its README.md: see functions/bundle/notices.ts`);
    texts.unshift(section, ...(title.endsWith(' (MIT)') ? [MIT_TERMS] : []));
  }
  // Vite's file continues with licenses of code that only the build uses.
  const own = texts.map((text) => text.split(/^# Licenses of bundled dependencies$/m)[0]?.trim() ?? '');
  return [...own, ...Object.entries(ADDED).flatMap(([name, text]) => (title.startsWith(`${name} `) ? [text] : []))].join('\n\n');
}
