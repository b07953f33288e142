// The built files of the dashboard and the API reference, served by the embedded service or from a stage's bucket.

import { type BuiltFile, CONFIGURATION_FILE, cacheControlOf, readBuiltSite, START_PAGE } from '../adapters/sites/built-site.ts';
import { contentTypeOf } from '../adapters/sites/content-type.ts';

export interface ServedFile extends BuiltFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Whether the content under this name changes between releases: the start page and the configuration. */
  readonly isEntry: boolean;
}

/** The page for all URLs of a site. */
export { START_PAGE };

/** Returns all files in upload order, the start page last; undefined if they have not been built. @param configuration JSON for the dashboard */
export function readDashboardFiles(configuration: string): readonly ServedFile[] | undefined {
  const built = readBuiltSite('dashboard');
  if (built === undefined) return undefined;
  const files = [
    ...built.filter(({ name }) => name !== START_PAGE),
    { name: CONFIGURATION_FILE, content: Buffer.from(configuration), compressed: {} },
    ...built
      .filter(({ name }) => name === START_PAGE)
      .map((page) => ({ name: page.name, content: withConfiguration(page.content, configuration), compressed: {} })),
  ];
  return files.map(served);
}

const CONFIGURATION_ELEMENT = '<script type="application/json" id="configuration">';

/** Returns the page with the configuration in it, which saves a round trip before sign-in. */
function withConfiguration(page: Buffer, configuration: string): Buffer {
  // `<` could end the element or begin a comment.
  const json = configuration.replaceAll('<', '\\u003c');
  return Buffer.from(page.toString().replace(CONFIGURATION_ELEMENT, () => CONFIGURATION_ELEMENT + json));
}

/** Matches the files that every page of the dashboard loads after sign-in; dashboard/vite.config.ts names the chunks. */
const FIRST_FILES = /^assets\/(?:(?:main|lists)-[\w-]+\.(?:js|css)|figtree-latin-wght-normal-[\w-]+\.woff2)$/;

/** Returns the paths of the files that the dashboard needs first, for the sign-in page to prefetch; empty if the dashboard has not been built. */
export function dashboardFirstFiles(): readonly string[] {
  return (readBuiltSite('dashboard') ?? []).filter(({ name }) => FIRST_FILES.test(name)).map(({ name }) => `/${name}`);
}

/** Returns the files of the API reference; undefined if it has not been built. */
export function readReferenceFiles(): readonly ServedFile[] | undefined {
  return readBuiltSite('reference')?.map(served);
}

function served(file: BuiltFile): ServedFile {
  const { name } = file;
  return {
    ...file,
    contentType: contentTypeOf(name),
    cacheControl: cacheControlOf(name),
    isEntry: name === START_PAGE || name === CONFIGURATION_FILE,
  };
}
