// The edge sweep compares the edge with storage, republishes differences, and deletes the remains of removed domains.

import { carriedOver } from '../../core/domains/mended.ts';
import type { MapEntry, Publication } from '../../core/domains/ports.ts';
import { isAsPublished, publicationOf, publish } from '../../core/domains/publication.ts';
import type { SweepStore } from '../../core/domains/queue.ts';
import { isGone } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { sweepOldDeployments } from '../../core/projects/actions.ts';
import { type CycleOptions, forEachItem, runSweep, type SweepList, type SweepRun } from './sweep-cycle.ts';

export interface OrphanReport {
  /** Number of domains for which something exists at the edge outside its map. */
  readonly tenants: number;
  /** Number of things that belonged to no domain or project, and have been or are being deleted. */
  readonly orphans: number;
  /** Number of things whose domain or project is unknown, but not yet for long enough that they may be deleted. */
  readonly unknown: number;
  /** Number of map entries that differed from storage. */
  readonly mended: number;
  /** Number of things that could not be checked or deleted. */
  readonly failed: number;
}

export interface OrphanSweep extends OrphanReport {
  /** Whether this run and the runs before it have gone through everything. */
  readonly complete: boolean;
  /** Figures of a whole cycle; see SweepOutcome. */
  readonly known: Pick<OrphanReport, 'tenants'>;
}

/**
 * How long something must belong to no known domain or project before it is deleted, in milliseconds, unless its domain is known to be removed: if a
 * table was restored to an earlier state, operators have this long to restore the domain, which is still served.
 */
export const UNKNOWN_FOR_MS = 24 * 3_600_000;

/** Interval between sweeps, in milliseconds: a day, minus half of the time between hourly runs. Listing the edge map is charged by the page. */
export const EDGE_EVERY_MS = 23.5 * 3_600_000;

/** Number of items processed concurrently; the edge accepts changes to several projects in one step. */
const AT_ONCE = 16;

export interface OrphanOptions extends CycleOptions {
  /** @default UNKNOWN_FOR_MS */
  readonly unknownForMs?: number;
  /** Called for each thing that could not be checked or deleted. */
  readonly onFault: (error: unknown, thing: object | string) => void;
}

/** Continues the edge sweep, or begins the next one. @returns undefined if another run holds the sweep, or if there is nothing to do */
export async function sweepOrphans(work: DomainWork, run: SweepRun, options: OrphanOptions): Promise<OrphanSweep | undefined> {
  const outcome = await runSweep(
    run,
    'edge',
    [mapEntries(work, run.store, options), made(work, run.store, options), certificates(work, run.store, options)],
    options,
  );
  if (outcome === undefined) return undefined;
  const { tenants = 0, orphans = 0, unknown = 0, mended = 0, failed = 0 } = outcome.counted;
  return { tenants, orphans, unknown, mended, failed, complete: outcome.complete, known: { tenants: outcome.known.tenants ?? 0 } };
}

/** Returns the list of hosts and projects in the edge map. */
function mapEntries(work: DomainWork, store: SweepStore, options: OrphanOptions): SweepList {
  return async (after) => {
    const { items, next } = await work.edge.entries(after);
    // Read after the page, and only once for all of a project's hosts on it, because a project may have thousands.
    const publications = new Map<string, Promise<Publication | undefined>>();
    const counts = await forEachItem(
      items,
      AT_ONCE,
      async (entry, count) => {
        const { host, isTarget = false, projectId } = entry;
        const read = publications.get(projectId) ?? publicationOf(work, projectId);
        publications.set(projectId, read);
        const publication = await read;
        if (!isAsPublished(entry, publication)) {
          const thing = `${isTarget ? 'target of project' : host === undefined ? 'project' : `host ${host}`} ${projectId}`;
          const owner = await ownerOf(work, entry);
          if (owner !== undefined && !owner.isGone) count('mended');
          else if (!(await isOrphan(work, store, options, thing, owner, count))) return;
          await publish(work, { id: projectId }, host === undefined ? undefined : [host]);
        }
        if (host === undefined && publication !== undefined) await lookAtProject(work, store, projectId);
      },
      options.onFault,
    );
    return { next, counts };
  };
}

/** Whether an entry's domain, or its project if it has no domain, is gone; undefined if it is not stored. */
async function ownerOf(
  { domains, projects }: DomainWork,
  { host, isTarget, projectId }: MapEntry,
): Promise<{ readonly isGone: boolean } | undefined> {
  if (host === undefined || isTarget === true) return (await projects.getProject(projectId)) && { isGone: false };
  const claims = (await domains.claimsOf(host)).filter((claim) => claim.projectId === projectId);
  return claims.length === 0 ? undefined : { isGone: claims.every(({ state }) => isGone(state)) };
}

/** Updates what earlier versions stored, republishes the project and removes leftover deployments, once a week because AWS charges for each call. */
async function lookAtProject(work: DomainWork, store: SweepStore, projectId: string): Promise<void> {
  const now = work.clock();
  if ((await store.firstReported(`carried over ${projectId}`, now)) !== now) return;
  for (const domain of await work.domains.listDomains(projectId)) {
    const carried = carriedOver(domain, now);
    if (carried !== undefined) await work.domains.saveDomain(carried, domain);
  }
  await publish(work, { id: projectId });
  for (let isDone = false; !isDone; ) isDone = await sweepOldDeployments(work, projectId, now);
}

/** Returns the list of domains with resources outside the map. */
function made(work: DomainWork, store: SweepStore, options: OrphanOptions): SweepList {
  return async (after) => {
    const { items, next } = await work.edge.made(after);
    const counts = await forEachItem(
      items,
      AT_ONCE,
      async (thing, count) => {
        count('tenants');
        const domain = await work.domains.getDomain(thing.id);
        // The domain's project may have nothing in the map.
        if (domain !== undefined && !isGone(domain.state)) return lookAtProject(work, store, domain.projectId);
        if (!(await isOrphan(work, store, options, `domain ${thing.id}`, domain, count))) return;
        // If a teardown takes minutes, the next sweep finishes it.
        if (await work.edge.release(thing)) await work.authority.release(thing);
      },
      options.onFault,
    );
    return { next, counts };
  };
}

/** Returns the list of certificates that nothing uses, including those of domains that are not live yet. */
function certificates({ domains, authority: { unused }, ...work }: DomainWork, store: SweepStore, options: OrphanOptions): SweepList {
  return async (after) => {
    if (unused === undefined) return { next: undefined, counts: {} };
    const { items, next } = await unused.list(after);
    const counts = await forEachItem(
      items,
      AT_ONCE,
      async (reference, count) => {
        const id = await unused.domainOf(reference);
        const domain = id === undefined ? undefined : await domains.getDomain(id);
        if (id === undefined || (domain !== undefined && !isGone(domain.state))) return;
        if (await isOrphan(work, store, options, `certificate ${reference}`, domain, count)) await unused.delete(reference);
      },
      options.onFault,
    );
    return { next, counts };
  };
}

/** @param gone the tombstone of the domain that the thing belongs to; undefined if storage does not know the domain */
async function isOrphan(
  { clock }: Pick<DomainWork, 'clock'>,
  store: SweepStore,
  { unknownForMs = UNKNOWN_FOR_MS }: OrphanOptions,
  thing: string,
  gone: object | undefined,
  count: (name: keyof OrphanReport) => void,
): Promise<boolean> {
  const now = clock();
  const isLongEnough = gone !== undefined || unknownForMs === 0 || now - (await store.firstReported(thing, now)) >= unknownForMs;
  count(isLongEnough ? 'orphans' : 'unknown');
  return isLongEnough;
}
