// The built files of the dashboard and of the API reference as they are served: by the embedded service, or from a stage's bucket.

import { type BuiltFile, CONFIGURATION_FILE, cacheControlOf, readBuiltSite, START_PAGE } from '../adapters/sites/built-site.ts';
import { contentTypeOf } from '../adapters/sites/content-type.ts';

export interface ServedFile extends BuiltFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Changes under its name from release to release: the start page and the configuration. */
  readonly isEntry: boolean;
}

/** The page of every address within a site. */
export { START_PAGE };

/**
 * The start page comes last: whoever uploads in this order never shows a page whose files are not there.
 *
 * @param configuration what the dashboard must know of where it runs, as JSON
 * @returns undefined if it has not been built
 */
export function readDashboardFiles(configuration: string): readonly ServedFile[] | undefined {
  const built = readBuiltSite('dashboard');
  if (built === undefined) return undefined;
  const files = [
    ...built.filter(({ name }) => name !== START_PAGE),
    { name: CONFIGURATION_FILE, content: Buffer.from(configuration) },
    ...built.filter(({ name }) => name === START_PAGE),
  ];
  return files.map(served);
}

/** The files of the API reference. @returns undefined if it has not been built */
export function readReferenceFiles(): readonly ServedFile[] | undefined {
  return readBuiltSite('reference')?.map(served);
}

function served({ name, content }: BuiltFile): ServedFile {
  return {
    name,
    content,
    contentType: contentTypeOf(name),
    cacheControl: cacheControlOf(name),
    isEntry: name === START_PAGE || name === CONFIGURATION_FILE,
  };
}
