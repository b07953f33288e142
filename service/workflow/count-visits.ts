// Counts the visits in the logs that the edge has delivered, by project and day, and writes those that their owners have chosen to log. A file is removed
// once it is read.

import { tokenOfTarget } from '../../core/domains/project-target.ts';
import { isAtEdge } from '../../core/domains/publication.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { loggedPath } from '../../core/http/logged-path.ts';
import type { Project } from '../../core/projects/project.ts';
import type { LoggedVisit, ProjectTraffic, TrafficStore, VisitLogs } from '../../core/projects/traffic.ts';
import { forEachItem, runSweep, type SweepRun } from './sweep-cycle.ts';

/** Files that are read at once: of each, only what is being read is in memory. */
const AT_ONCE = 4;

export interface VisitsWork extends Pick<SweepWork, 'domains' | 'projects' | 'edgeHost'> {
  readonly logs: VisitLogs;
  readonly traffic: TrafficStore;
  /** Writes a line of the access log. */
  readonly logVisit: (visit: Omit<LoggedVisit, 'at'> & { readonly projectId: string; readonly visitedAt: string }) => void;
}

export interface VisitsReport {
  /** Files that were counted. */
  readonly files: number;
  /** Visits in them, of projects. */
  readonly visits: number;
  /** Visits to names that are no project's. */
  readonly strangers: number;
  /** Files that could not be read: they stay for the next run. */
  readonly failed: number;
}

/**
 * Counts what has been delivered.
 *
 * @param onFault called for each file that could not be read
 * @returns undefined if another run does this
 */
export async function countVisits(
  work: VisitsWork,
  run: SweepRun,
  onFault: (error: unknown, file: string) => void,
): Promise<VisitsReport | undefined> {
  const projectOf = createProjectFinder(work);
  const outcome = await runSweep(run, 'visits', [
    async (after) => {
      const { items, next } = await work.logs.list(after);
      const totals = new Map<string, ProjectTraffic>();
      const read: string[] = [];
      const counts = await forEachItem(
        items,
        AT_ONCE,
        async (file, count) => {
          // Of this file alone: one that can't be read to its end is read again, from its beginning.
          const own = new Map<string, ProjectTraffic>();
          const lines: Parameters<VisitsWork['logVisit']>[0][] = [];
          for await (const { at, path, ...visit } of work.logs.read(file)) {
            const project = await projectOf(visit.host);
            count(project === undefined ? 'strangers' : 'visits');
            if (project === undefined) continue;
            const visitedAt = new Date(at).toISOString();
            add(own, { projectId: project.id, day: visitedAt.slice(0, 10), requests: 1, bytes: visit.bytes });
            if (project.configuration.logs?.access) lines.push({ ...visit, visitedAt, projectId: project.id, path: loggedPath(path) });
          }
          for (const line of lines) work.logVisit(line);
          for (const total of own.values()) add(totals, total);
          read.push(file);
          count('files');
        },
        onFault,
      );
      // In this order, so that nobody's visits count twice: if the process ends in between, this page is missing.
      await work.logs.remove(read);
      await work.traffic.add([...totals.values()]);
      return { next, counts };
    },
  ]);
  if (outcome === undefined) return undefined;
  const { files = 0, visits = 0, strangers = 0, failed = 0 } = outcome.counted;
  return { files, visits, strangers, failed };
}

function add(totals: Map<string, ProjectTraffic>, { projectId, day, requests, bytes }: ProjectTraffic): void {
  const key = `${day} ${projectId}`;
  const before = totals.get(key);
  totals.set(key, { projectId, day, requests: requests + (before?.requests ?? 0), bytes: bytes + (before?.bytes ?? 0) });
}

/** Creates a function that finds the project that a name belongs to, or belonged to last. It remembers what it has found, for one run. */
function createProjectFinder({ domains, projects, edgeHost }: VisitsWork): (host: string) => Promise<Project | undefined> {
  const known = new Map<string, Promise<Project | undefined>>();
  let tokens: Promise<ReadonlyMap<string, Project>> | undefined;

  async function find(host: string): Promise<Project | undefined> {
    const token = tokenOfTarget(host, edgeHost);
    if (token !== undefined) {
      tokens ??= projects.listProjects().then((all) => new Map(all.map((project) => [project.token, project])));
      return (await tokens).get(token);
    }
    const claims = await domains.claimsOf(host);
    const claim = claims.find(({ state }) => isAtEdge(state)) ?? claims.at(-1);
    return claim === undefined ? undefined : projects.getProject(claim.projectId);
  }

  return (host) => {
    const found = known.get(host) ?? find(host);
    known.set(host, found);
    return found;
  };
}
