// What the build leaves out of the design system. Its parts are chosen at run time, so the bundler can't see that they are never used. Each plugin
// fails the build if the design system no longer has what it changes.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'vite';

const SOURCES = join(import.meta.dirname, 'src');
const COMPONENTS = dirname(createRequire(import.meta.url).resolve('@cloudscape-design/components/package.json'));

const PARSER = '@formatjs/icu-messageformat-parser';
const GLOBAL_STYLES = createRequire(import.meta.url).resolve('@cloudscape-design/global-styles/index.css');

/** The names of the components that the dashboard imports. */
function usedComponents(): ReadonlySet<string> {
  // Components that others are built from.
  const used = new Set(['popover', 'token-group']);
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))) {
    for (const [, name = ''] of readFileSync(join(SOURCES, file), 'utf8').matchAll(/@cloudscape-design\/components\/([\w-]+)'/g)) used.add(name);
  }
  return used;
}

/** The design system ships the texts of all components in one file. This keeps the texts of those that the dashboard uses. */
function textsOfUsedComponents(): Plugin {
  const used = usedComponents();
  return {
    name: 'texts-of-used-components',
    // The texts are parsed already. Without the parser for others, one of these would throw an error.
    config: () => ({ resolve: { alias: [{ find: PARSER, replacement: `${PARSER}/lib/no-parser.js` }] } }),
    transform: {
      filter: { id: /components\/i18n\/messages\/all\.en\.js$/ },
      handler: (code) => {
        const all: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(
          code.replace(/^\s*export default /, '').replace(/;?\s*$/, ''),
        );
        const kept = Object.entries(all).map(([namespace, locales]) => [
          namespace,
          Object.fromEntries(
            Object.entries(locales).map(([locale, words]) => [locale, Object.fromEntries(Object.entries(words).filter(([name]) => used.has(name)))]),
          ),
        ]);
        return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
      },
    },
  };
}

/** The design system gives a <nav> an attribute that its role does not allow (WAI-ARIA 1.2, aria-orientation). */
function withoutInvalidAttribute(): Plugin {
  const ATTRIBUTE = ' "aria-orientation": "horizontal",';
  const ELEMENT = 'createElement("nav", {';
  return {
    name: 'without-invalid-attribute',
    transform: {
      filter: { id: /components\/app-layout\/visual-refresh\/mobile-toolbar\.js$/ },
      handler: (code) => {
        const at = code.indexOf(ATTRIBUTE, code.indexOf(ELEMENT));
        if (!code.includes(ELEMENT) || at < 0) throw new Error('app-layout no longer has the attribute: remove this plugin');
        return code.slice(0, at) + code.slice(at + ATTRIBUTE.length);
      },
    },
  };
}

/**
 * The frame has three layouts: one for the old theme, one for AWS's own console, and the one that everyone else gets. This leaves out the first two:
 * a sixth of the script, with the drag and drop of the console's drawers.
 */
function oneLayout(): Plugin {
  const OTHERS = [`import ClassicAppLayout from './classic';`, `import ToolbarAppLayout from './visual-refresh-toolbar';`];
  return {
    name: 'one-layout',
    transform: {
      filter: { id: /components\/app-layout\/internal\.js$/ },
      handler: (code) => {
        if (OTHERS.some((line) => !code.includes(line))) throw new Error('app-layout no longer imports these layouts: see which one it shows');
        const missing = `() => { throw new Error('this layout is not built: see dashboard/design-system.ts'); }`;
        return OTHERS.reduce((rest, line) => rest.replace(line, line.replace(/import (\w+) from .*/, `const $1 = ${missing};`)), code);
      },
    },
  };
}

/** The fonts are embedded in the style sheet, all eight. As files, browsers load those that a page uses: two on most pages. */
function fontsAsFiles(): Plugin {
  const FACE = /@font-face\s*{[^}]*}/g;
  return {
    name: 'fonts-as-files',
    enforce: 'pre',
    transform: {
      filter: { id: /global-styles\/index\.css$/ },
      handler(code) {
        let fonts = 0;
        const style = code.replace(FACE, (face) => {
          const { weight = '', slant = '' } = /font-weight:\s*(?<weight>\d+);[^}]*font-style:\s*(?<slant>\w+)/.exec(face)?.groups ?? {};
          // Texts don't stay invisible while a font loads.
          return face
            .replace('{', '{font-display: fallback;')
            .replace(/url\(["']?data:font\/woff2;[^,]*base64,([^"')]+)["']?\)/, (_, base64: string) => {
              fonts += 1;
              const file = this.emitFile({ type: 'asset', name: `open-sans-${weight}-${slant}.woff2`, source: Buffer.from(base64, 'base64') });
              return `url(__VITE_ASSET__${file}__)`;
            });
        });
        if (fonts === 0) throw new Error('global-styles no longer embeds its fonts: remove this plugin');
        return style;
      },
    },
  };
}

/** The files of the design system that the dashboard's pages import, directly or through others. */
function importedFiles(): ReadonlySet<string> {
  const files = new Set<string>();
  const queue = [...usedComponents()].map((name) => join(COMPONENTS, name)).filter((path) => existsSync(path));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const file = [path, `${path}.js`, join(path, 'index.js')].find((each) => /\.(js|css)$/.test(each) && existsSync(each));
    if (file === undefined || files.has(file)) continue;
    files.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) queue.push(resolve(dirname(file), name));
  }
  return files;
}

/** The theme defines a thousand custom properties, for all components, and again for each mode. This keeps those that are used. */
function usedProperties(): Plugin {
  const THEME = /components\/internal\/base-theme\/styles\.scoped\.css$/;
  // A script with all properties, from which others use some: `tokens.colorTextBodyDefault`.
  const TOKENS = /internal\/generated\/styles\/tokens\.js$/;
  const NAME = /--[\w-]+/g;
  const DEFINITION = /(--[\w-]+)\s*:([^;}]*);?/g;
  const properties = new Map(
    [...readFileSync(join(COMPONENTS, 'internal/generated/styles/tokens.js'), 'utf8').matchAll(/export var (\w+) = "var\((--[\w-]+)/g)].map(
      ([, token = '', name = '']) => [token, name],
    ),
  );
  const propertiesIn = (text: string) => {
    const tokens = /from '[^']*generated\/styles\/tokens'/.test(text) ? (text.match(/\w+/g) ?? []) : [];
    return [...tokens.flatMap((token) => properties.get(token) ?? []), ...(text.match(NAME) ?? [])];
  };
  return {
    name: 'used-properties',
    enforce: 'pre',
    transform: {
      filter: { id: THEME },
      handler: (code) => {
        const definitions = [...code.matchAll(DEFINITION)];
        if (definitions.length === 0) throw new Error('the theme no longer defines its properties here: see dashboard/design-system.ts');
        const files = [...importedFiles(), GLOBAL_STYLES].filter((file) => !THEME.test(file) && !TOKENS.test(file));
        const used = new Set(files.flatMap((file) => propertiesIn(readFileSync(file, 'utf8'))));
        // The values of used properties use others.
        for (let before = 0; before < used.size; ) {
          before = used.size;
          for (const [, name = '', value = ''] of definitions) if (used.has(name)) for (const each of value.match(NAME) ?? []) used.add(each);
        }
        return code.replace(DEFINITION, (definition, name: string) => (used.has(name) ? definition : ''));
      },
    },
  };
}

/** All 143 icons are in one object. This keeps those whose names the dashboard or the components in use contain. */
function usedIcons(): Plugin {
  const ICONS = /components\/icon\/generated\/icons\.js$/;
  const ICON = /^ {4}"?([\w-]+)"?: React\.createElement[\s\S]*?(?=^ {4}"?[\w-]+"?: |^};)/gm;
  return {
    name: 'used-icons',
    transform: {
      filter: { id: ICONS },
      handler: (code) => {
        const own = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
        const files = [
          ...[...importedFiles()].filter((file) => file.endsWith('.js') && !ICONS.test(file)),
          ...own.map((name) => join(SOURCES, name)),
        ];
        const words = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/(?<=['"`])[\w-]+(?=['"`])/g) ?? []));
        const kept = code.replace(ICON, (icon, name: string) => (words.has(name) ? icon : ''));
        if (kept === code) throw new Error('the icons are no longer listed here: see dashboard/design-system.ts');
        return kept;
      },
    },
  };
}

/** Everything that the build changes in the design system. */
export const designSystem = (): Plugin[] => [
  textsOfUsedComponents(),
  withoutInvalidAttribute(),
  oneLayout(),
  fontsAsFiles(),
  usedProperties(),
  usedIcons(),
];
