// Counts visits in the edge's logs, by project and day, and writes log lines for projects whose owners have opted in. Counted files are removed.

import { isAtEdge } from '../../core/domains/publication.ts';
import { tokenOfTarget } from '../../core/domains/records.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { loggedPath } from '../../core/http/trace-context.ts';
import type { LoggedVisit, Project, ProjectTraffic, TrafficStore, VisitLogs } from '../../core/projects/project.ts';
import { forEachItem, runSweep, type SweepRun } from './sweep-cycle.ts';

/** Number of files read concurrently. The figures and the log lines of each are held in memory. */
const AT_ONCE = 2;

export interface VisitsWork extends Pick<SweepWork, 'domains' | 'projects' | 'edgeHost'> {
  readonly logs: VisitLogs;
  readonly traffic: TrafficStore;
  /** Writes a line of the access log. */
  readonly logVisit: (visit: VisitLine) => void;
}

export type VisitLine = Omit<LoggedVisit, 'at'> & { readonly projectId: string; readonly visitedAt: string };

export interface VisitsReport {
  readonly files: number;
  /** Project visits in these files. */
  readonly visits: number;
  /** Number of visits to names that belong to no project. */
  readonly strangers: number;
  /** Number of files that could not be read; they stay for the next run. */
  readonly failed: number;
}

/** Counts visits in the delivered files. @param onFault called for each unreadable file @returns undefined if another run is doing this */
export async function countVisits(
  work: VisitsWork,
  run: SweepRun,
  onFault: (error: unknown, file: string) => void,
): Promise<VisitsReport | undefined> {
  const projectOf = createProjectFinder(work);
  const outcome = await runSweep(run, 'visits', [
    async (after) => {
      const { items, next } = await work.logs.list(after);
      const read: CountedFile[] = [];
      const counts = await forEachItem(items, AT_ONCE, async (file, count) => void read.push(await countFile(work, projectOf, file, count)), onFault);
      // Files are removed before visits are stored, so none counts twice; if the process ends here, they are lost. Remaining files are read again.
      const kept = new Set(await work.logs.remove(read.map(({ file }) => file)));
      const removed = read.filter(({ file }) => !kept.has(file));
      for (const { lines } of removed) for (const line of lines) work.logVisit(line);
      const totals = new Map<string, ProjectTraffic>();
      for (const { traffic } of removed) for (const each of traffic) add(totals, each);
      await work.traffic.add([...totals.values()]);
      return { next, counts };
    },
  ]);
  if (outcome === undefined) return undefined;
  const { files = 0, visits = 0, strangers = 0, failed = 0 } = outcome.counted;
  return { files, visits, strangers, failed };
}

interface CountedFile {
  readonly file: string;
  readonly traffic: readonly ProjectTraffic[];
  readonly lines: readonly VisitLine[];
}

/** Reads a file. Rejects if it can't be read to its end; it will then be read again from its beginning. */
async function countFile(
  { logs }: VisitsWork,
  projectOf: (host: string) => Promise<Project | undefined>,
  file: string,
  count: (name: keyof VisitsReport) => void,
): Promise<CountedFile> {
  const totals = new Map<string, ProjectTraffic>();
  const lines: VisitLine[] = [];
  for await (const { at, path, ...visit } of logs.read(file)) {
    const project = await projectOf(visit.host);
    count(project === undefined ? 'strangers' : 'visits');
    if (project === undefined) continue;
    const visitedAt = new Date(at).toISOString();
    add(totals, { projectId: project.id, day: visitedAt.slice(0, 10), requests: 1, bytes: visit.bytes });
    if (project.configuration.logs?.access) lines.push({ ...visit, visitedAt, projectId: project.id, path: loggedPath(askedPath(path, project.id)) });
  }
  count('files');
  return { file, traffic: [...totals.values()], lines };
}

/** Returns the path that the visitor requested. If CloudFront's request to S3 was logged, the project and the deployment are removed from it. */
function askedPath(path: string, projectId: string): string {
  const [, own = '', ...rest] = path.split('/');
  return own === projectId && rest.length > 1 ? `/${rest.slice(1).join('/')}` : path;
}

function add(totals: Map<string, ProjectTraffic>, { projectId, day, requests, bytes }: ProjectTraffic): void {
  const key = `${day} ${projectId}`;
  const before = totals.get(key);
  totals.set(key, { projectId, day, requests: requests + (before?.requests ?? 0), bytes: bytes + (before?.bytes ?? 0) });
}

/** Creates a function that finds the project that a name belongs to, or belonged to last. It caches its results for one run. */
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
    const earlier = known.get(host);
    if (earlier !== undefined) return earlier;
    const found = find(host);
    known.set(host, found);
    // A fault is not cached.
    found.catch(() => {
      known.delete(host);
      tokens = undefined;
    });
    return found;
  };
}
