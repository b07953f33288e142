// The documents as a site: `npm run build:website`. Each page is an unchanged file from the repository; links to other files lead to the repository.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type DefaultTheme, defineConfig, type MarkdownOptions, type UserConfig } from 'vitepress';

const ROOT = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
/** Where the sources are, such as https://github.com/owner/name. @default pages have no links to sources */
const REPOSITORY = process.env.REPOSITORY_URL;
/** Where the site of each release is, such as https://docs.example.com/{version}. @default other releases are not linked */
const SITE_OF_VERSION = process.env.VERSIONS_URL;
/** All releases in the changelog, newest first. */
const RELEASES = [...readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, release = '']) => release);

/** The pages: the documents, and the READMEs beside the code. */
const PAGES = [...globSync('docs/**/*.md', { cwd: ROOT }), ...globSync('{client,judge,postgres,examples/*}/README.md', { cwd: ROOT })];
const AT_ROOT = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md'];

/** `docs/decisions/README.md` as `decisions/index.md`; the first page is README.md. */
const addressOf = (file: string) =>
  file
    .replace('docs/README.md', 'documents.md')
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md');

const titleOf = (file: string) => /^# (.*)$/m.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1]?.replaceAll('`', '') ?? file;
const linkTo = (file: string) => ({ text: titleOf(file), link: `/${addressOf(file).replace(/(index)?\.md$/, '')}` });

/** This site's version, with links to the sites of other releases. */
function versions(): DefaultTheme.NavItem {
  const text = `Version ${version}`;
  const others = RELEASES.filter((release) => release !== version);
  if (SITE_OF_VERSION === undefined || others.length === 0) return { text, link: '/CHANGELOG' };
  const links = others.map((release) => ({ text: release, link: SITE_OF_VERSION.replace('{version}', release) }));
  return { text, items: [{ text: 'Changes', link: '/CHANGELOG' }, ...links] };
}

/** Pages in the order given, then the others in a folder. */
function group(text: string, names: readonly string[], folder?: string): DefaultTheme.SidebarItem {
  const inFolder = PAGES.filter((file) => folder !== undefined && dirname(file) === folder && !names.includes(file)).toSorted();
  return { text, items: [...names, ...inFolder].map(linkTo) };
}

const SIDEBAR = {
  '/': [
    group('You call the API', ['docs/api.md', 'docs/reference/errors.md', 'docs/problems.md', 'client/README.md']),
    group('You publish a site', ['docs/dashboard.md', 'docs/diagnoses.md', 'docs/command-line.md']),
    group(
      'You run one machine',
      ['docs/server/install.md', 'docs/server/operate.md', 'docs/domains.md', 'docs/customers.md', 'postgres/README.md'],
      'docs/server',
    ),
    group('You run it on AWS', ['docs/aws/deploy.md', 'docs/aws/change.md'], 'docs/aws'),
    group('You build on it', [
      'docs/control-api.md',
      'docs/package.md',
      'docs/adapters.md',
      'examples/own-cdk-app/README.md',
      'examples/cloudflare-dns/README.md',
    ]),
    group('Reference', ['docs/domain-workflow.md', 'docs/benchmarks.md'], 'docs/reference'),
    group(
      'The code',
      ['docs/architecture.md', 'docs/glossary.md', 'CONTRIBUTING.md', 'SECURITY.md', 'judge/README.md', 'docs/decisions/README.md'],
      'docs/worked-examples',
    ),
  ],
  '/decisions/': [group('Decisions', ['docs/decisions/README.md'], 'docs/decisions')],
};

/** Exact matches count more than longer or similar words, of which a reference has many, and pages for users count more than the rest. */
const ranking: NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>['searchOptions'] = {
  weights: { prefix: 0.2, fuzzy: 0.2 },
  // VitePress copies this function's text into each page, so it can't refer to anything else.
  boostDocument: (address: string) =>
    /^\/(reference\/(exports|control-requests|audit-actions)|worked-examples|decisions|examples|judge|postgres|adapters|glossary|[A-Z])/.test(address)
      ? 0.3
      : 1,
};

/** Fragments as GitHub makes them, which the documents' links use. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');

/**
 * Links to pages lead to their addresses, and links to other files lead to the repository; images in HTML are relative to the page. All images but
 * the first are loaded when readers scroll near them.
 */
const links: MarkdownOptions['config'] = (md) => {
  md.core.ruler.push('links', ({ env, tokens }) => {
    const from = dirname(env.realPath ?? env.relativePath);
    let isText = false;
    let images = 0;
    for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
      if (token.type === 'image' && images++ > 0) token.attrSet('loading', 'lazy');
      if (token.type.startsWith('html_')) token.content = token.content.replace(/\b(src|srcset)="(?![a-z]+:|[./])/g, '$1="./');
      if (token.type === 'link_close' && isText) token.tag = 'span';
      if (token.type !== 'link_open') continue;
      const [target = '', fragment] = (token.attrGet('href') ?? '').split('#');
      const path = relative(ROOT, resolve(ROOT, from, target.replace(/\/$/, '/README.md')));
      const isFile = target !== '' && !/^(?:[a-z]+:|\/)/.test(target) && existsSync(join(ROOT, path));
      const isPage = isFile && [...PAGES, ...AT_ROOT].includes(path);
      isText = isFile && !isPage && REPOSITORY === undefined;
      if (isPage) token.attrSet('href', `/${addressOf(path)}${fragment === undefined ? '' : `#${fragment}`}`);
      else if (isText) Object.assign(token, { tag: 'span', attrs: null });
      else if (isFile) token.attrSet('href', `${REPOSITORY}/blob/main/${path}`);
    }
  });
};

/**
 * A page is complete without its scripts, so they are loaded once it is drawn or, in browsers that don't report that, a second after it is loaded.
 * The style sheet for social networks' icons is empty, because no page has such icons.
 */
const drawFirst: UserConfig['transformHtml'] = (html, _, { page }) => {
  // This page's text is written by its scripts.
  if (page === '404.md') return html;
  const files: string[] = [];
  const withoutScripts = html
    .replace(/ *<link [^>]*vp-icons\.css[^>]*>\n/, '')
    .replace(/ *<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)">(?:<\/script>)?\n/g, (_tag, file: string) => {
      files.push(file);
      return '';
    });
  const loader = `<script>{
      const files = ${JSON.stringify(files)};
      const add = (src) => document.head.append(Object.assign(document.createElement('script'), { type: 'module', fetchPriority: 'low', src }));
      const load = () => files.splice(0).forEach(add);
      new PerformanceObserver(load).observe({ type: 'paint', buffered: true });
      addEventListener('load', () => setTimeout(load, 1_000));
    }</script>`;
  return withoutScripts.replace('</head>', () => `  ${loader}\n  </head>`);
};

const configuration: UserConfig<DefaultTheme.Config> = {
  title: 'Petstore',
  description: 'A keyed catalogue API with exact limits, and sites on their owners’ domains with automatic TLS.',
  lang: 'en',
  srcDir: ROOT,
  cacheDir: join(ROOT, 'website/.vitepress/cache'),
  srcExclude: globSync('*/', { cwd: ROOT })
    .filter((folder) => !['docs', 'client', 'judge', 'postgres', 'examples'].includes(folder))
    .map((folder) => `${folder}/**`),
  rewrites: addressOf,
  router: { prefetchLinks: false },
  head: [['link', { rel: 'icon', href: '/mark.svg' }]],
  transformHtml: drawFirst,
  // Otherwise, each page's styles are computed twice while it loads.
  appearance: { disableTransition: false },
  vite: { publicDir: join(ROOT, 'website/public') },
  markdown: { config: links, anchor: { slugify }, theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  themeConfig: {
    logo: '/mark.svg',
    search: { provider: 'local', options: { miniSearch: { searchOptions: ranking } } },
    nav: [
      { text: 'API reference', link: '/docs/', target: '_self' },
      ...(REPOSITORY === undefined ? [] : [{ text: 'Source', link: REPOSITORY }]),
      versions(),
    ],
    sidebar: SIDEBAR,
    ...(REPOSITORY !== undefined && { editLink: { pattern: `${REPOSITORY}/edit/main/:path` } }),
  },
};

export default defineConfig(configuration);
