// Finds the projects whose deployments a sweep checks.

import type { DatabaseSync } from 'node:sqlite';
import type { Page } from '../../../core/page.ts';
import { prepareSelect } from './database.ts';
import { guarded } from './transaction.ts';

/** Projects in a page. */
const PAGE = 100;

/**
 * Creates the list of projects with more than `most` deployments, by id.
 *
 * @returns a function that returns a page of ids; its parameter is `next` of the page before
 */
export function prepareCrowdedProjects(database: DatabaseSync, most: number): (after?: string) => Page<string> {
  const select = prepareSelect<{ project_id: string }>(
    database,
    'SELECT project_id FROM deployments WHERE project_id > ? GROUP BY project_id HAVING count(*) > ? ORDER BY project_id LIMIT ?',
  );
  return (after = '') =>
    guarded(() => {
      const ids = select.all(after, most, PAGE).map(({ project_id }) => project_id);
      return { items: ids, next: ids.length < PAGE ? undefined : ids.at(-1) };
    });
}
