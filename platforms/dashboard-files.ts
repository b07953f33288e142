// The files of the dashboard as they are served: of one machine by the service, of a stage from its bucket.

import { type BuiltFile, CONFIGURATION_FILE, cacheControlOf, readBuiltDashboard, START_PAGE } from '../adapters/sites/built-dashboard.ts';
import { contentTypeOf } from '../adapters/sites/content-type.ts';

export interface DashboardFile extends BuiltFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Changes under its name from release to release: the start page and the configuration. */
  readonly isEntry: boolean;
}

/** The page of every address within the dashboard. */
export { START_PAGE };

/**
 * The start page comes last: whoever uploads in this order never shows a page whose files are not there.
 *
 * @param configuration what the dashboard must know of where it runs, as JSON
 * @returns undefined if it has not been built
 */
export function readDashboardFiles(configuration: string): readonly DashboardFile[] | undefined {
  const built = readBuiltDashboard();
  if (built === undefined) return undefined;
  const files = [
    ...built.filter(({ name }) => name !== START_PAGE),
    { name: CONFIGURATION_FILE, content: Buffer.from(configuration) },
    ...built.filter(({ name }) => name === START_PAGE),
  ];
  return files.map(({ name, content }) => ({
    name,
    content,
    contentType: contentTypeOf(name),
    cacheControl: cacheControlOf(name),
    isEntry: name === START_PAGE || name === CONFIGURATION_FILE,
  }));
}
