// Many writers of the edge map on AWS at once, on a virtual clock and in random orders. The store refuses updates of an old version, as documented.

import { type CloudFrontKeyValueStoreClient, ConflictException, ResourceNotFoundException } from '@aws-sdk/client-cloudfront-keyvaluestore';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTurns } from '../../../adapters/edge/key-value-changes.ts';
import { createKeyValueMap, type KeyValueMapOptions } from '../../../adapters/edge/key-value-map.ts';
import { createMemorySweepStore } from '../../../adapters/store/memory/single-process.ts';
import type { CurrentPublication, EdgeMap } from '../../../core/domains/ports.ts';
import { type PublicationPorts, publicationOf, publish, redirectOf } from '../../../core/domains/publication.ts';
import type { Project } from '../../../core/projects/project.ts';
import { currentOf, sampleProject } from '../../../testing/projects.ts';
import { sampleAccount } from '../../../testing/samples.ts';
import { STORE_ARN } from '../../support/memory-aws/key-value-store.ts';
import { virtualTime } from '../../support/virtual-time.ts';

/** Random schedules. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 300);

interface Update {
  readonly IfMatch: string;
  readonly Key: string;
  readonly Puts: readonly { readonly Key: string; readonly Value: string }[];
  readonly Deletes: readonly { readonly Key: string }[];
}

/** A store, and a client of it whose calls begin and end after a pause each. */
function makeStore(pause: () => Promise<unknown>) {
  const keys = new Map<string, string>();
  const store = { keys, calls: 0, version: 0, refused: (_key: string) => false };
  const send = async ({ constructor: { name }, input }: { readonly constructor: { readonly name: string }; readonly input: Update }) => {
    store.calls += 1;
    await pause();
    const answer = answerTo(name, input);
    await pause();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  function answerTo(command: string, { IfMatch, Key, Puts, Deletes }: Update): object {
    if (command === 'DescribeKeyValueStoreCommand') return { ETag: String(store.version) };
    if (command === 'GetKeyCommand')
      return keys.has(Key) ? { Value: keys.get(Key) } : new ResourceNotFoundException({ message: 'no such key', $metadata: {} });
    if (IfMatch !== String(store.version)) return new ConflictException({ message: 'changed meanwhile', $metadata: {} });
    if (Puts.some((put) => store.refused(put.Key))) return new Error('not accepted');
    for (const put of Puts) keys.set(put.Key, put.Value);
    for (const each of Deletes) keys.delete(each.Key);
    store.version += 1;
    return {};
  }
  const client = { send } as unknown as CloudFrontKeyValueStoreClient;
  return { store, newMap: (options: KeyValueMapOptions = {}): EdgeMap => createKeyValueMap(client, STORE_ARN, options) };
}

/** Numbers from 0 to 1 that are the same in each run. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('many writers at once', () => {
  function makeWorld() {
    const time = virtualTime({ now: 0 }, fetch);
    const random = randomNumbers();
    const { store, newMap } = makeStore(() => time.sleep((50 + 100 * random()) / 2));
    const options = { elapsed: () => time.clock.now, wait: time.sleep, random };
    const sweeps = createMemorySweepStore();
    const turns = () => createTurns(sweeps, () => time.clock.now, options);
    const projects = Array.from({ length: 50 }, () => sampleProject({ currentDeploymentId: 'dpl_1' }));
    const write = (maps: readonly EdgeMap[]) =>
      time.until(Promise.allSettled(maps.map((map, n) => map.publish(projects[n] as Project, currentOf(projects[n] as Project, [`h${n}.dev`])))));
    return { time, store, newMap, options, turns, projects, write };
  }
  const failures = (outcomes: readonly PromiseSettledResult<void>[]) => outcomes.filter(({ status }) => status === 'rejected').length;

  test('of one process share their updates', async () => {
    const { store, newMap, options, write } = makeWorld();
    const map = newMap(options);
    expect(failures(await write(Array.from({ length: 50 }, () => map)))).toBe(0);
    // 100 keys, 50 in an update, each with the version that it replaces.
    expect([store.keys.size, store.calls]).toEqual([100, 4]);
  });

  test('of different processes take turns, and need two calls each', async () => {
    const { store, newMap, options, turns, write } = makeWorld();
    expect(failures(await write(Array.from({ length: 50 }, () => newMap({ ...options, turns: turns() }))))).toBe(0);
    expect([store.keys.size, store.calls / 50]).toEqual([100, 2]);
  });

  test('of a few processes that take no turns get out of each other’s way', async () => {
    const { store, newMap, options, write } = makeWorld();
    expect(failures(await write(Array.from({ length: 10 }, () => newMap(options))))).toBe(0);
    expect(store.keys.size).toBe(20);
  });

  test('give up with a storage fault if others never leave the store alone, and later writes succeed', async () => {
    const { time, store, newMap, options, projects } = makeWorld();
    const map = newMap(options);
    const [project] = projects as [Project];
    const busy: CurrentPublication = async () => {
      store.version += 1;
      return { project, hosts: [] };
    };
    await expect(time.until(map.publish(project, busy))).rejects.toMatchObject({ name: 'StoreFault', kind: 'unavailable' });
    expect(time.clock.now).toBeLessThan(26_000);
    await time.until(map.publish(project, currentOf(project)));
    expect(store.keys.get(project.id)).toBe('dpl_1');
    // Whoever has the turn may have died.
    const another = newMap({ ...options, turns: { take: async () => undefined } });
    await expect(time.until(another.publish(project, currentOf(project)))).rejects.toMatchObject({ name: 'StoreFault', kind: 'unavailable' });
  });

  test('a turn that can’t be given back is nobody’s fault', async () => {
    const { time, store, newMap, options, projects } = makeWorld();
    const turns = {
      take: async () => async () => {
        throw new Error('away');
      },
    };
    const map = newMap({ ...options, turns });
    await time.until(Promise.all(projects.slice(0, 3).map((project) => map.publish(project, currentOf(project)))));
    expect(store.keys.size).toBe(3);
  });

  test('writers hear of their success only after the turn is over', async () => {
    const { time, newMap, options, projects } = makeWorld();
    const order: string[] = [];
    const turns = {
      take: async () => async () => {
        await time.sleep(10);
        order.push('turn over');
      },
    };
    const [project] = projects as [Project];
    await time.until(newMap({ ...options, turns }).publish(project, currentOf(project)));
    order.push('published');
    expect(order).toEqual(['turn over', 'published']);
  });

  test('a writer that fails, or that the store refuses, fails alone', async () => {
    const { time, store, newMap, options, projects } = makeWorld();
    const map = newMap(options);
    store.refused = (key) => key === projects[1]?.id;
    const failing = async () => {
      throw new Error('unreadable');
    };
    const writes = projects.slice(0, 4).map((project, n) => map.publish(project, n === 2 ? failing : currentOf(project)));
    const outcomes = await time.until(Promise.allSettled(writes));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    for (const outcome of outcomes.slice(1, 3)) expect(outcome).toMatchObject({ reason: { name: 'StoreFault', kind: 'unavailable' } });
    expect([...store.keys.keys()].toSorted()).toEqual([projects[0]?.id, projects[3]?.id].toSorted());
  });
});

describe('whatever happens at once', () => {
  const HOSTS = ['a.dev', 'b.dev'] as const;
  const action = fc.record({
    kind: fc.constantFrom('deploy', 'configure', 'attach', 'remove', 'suspend', 'resume'),
    host: fc.constantFrom(...HOSTS),
    process: fc.nat(2),
  });

  test('the edge map ends as storage says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(action, { minLength: 2, maxLength: 6 }), async (scheduler, actions) => {
        const pause = () => scheduler.schedule(Promise.resolve());
        const { store, newMap } = makeStore(pause);
        const maps = [0, 1, 2].map(() => newMap({ wait: pause, elapsed: () => 0, random: () => 0 }));
        const database = makeDatabase(pause);
        const perform = async ({ kind, host, process }: (typeof actions)[number], n: number) => {
          await pause();
          await database.perform(kind, host, `dpl_${n}`, maps[process] as EdgeMap);
        };
        await scheduler.waitFor(Promise.all(actions.map(perform)));
        expect(Object.fromEntries(store.keys)).toEqual(await database.expected());
      }),
      { numRuns: SCHEDULES },
    );
  });

  /** One account with one project and its domains. What is read arrives late. */
  function makeDatabase(pause: () => Promise<unknown>) {
    let project = sampleProject({ id: 'prj_1', currentDeploymentId: undefined });
    let suspension: object | undefined;
    const states = new Map<string, string>(HOSTS.map((host) => [host, 'removed']));
    const late = async <Value>(value: Value): Promise<Value> => {
      await pause();
      return value;
    };
    const account = () => ({ ...sampleAccount(), id: project.accountId, plan: 'pro', ...(suspension !== undefined && { suspension }) });
    const domains = () => [...states].map(([host, name]) => ({ host, state: { name } }));
    const reading = (read: <Value>(value: Value) => Promise<Value>) =>
      ({
        accounts: { getAccount: () => read(account()) },
        projects: { getProject: () => read(project) },
        domains: { listDomains: () => read(domains()) },
      }) as unknown as PublicationPorts;
    const ports = reading(late);
    async function attach(host: string, edge: EdgeMap): Promise<void> {
      if (suspension !== undefined || project.currentDeploymentId === undefined) return;
      states.set(host, 'attaching');
      await edge.publish({ id: project.id }, () => publicationOf(ports, project.id), [host]);
      if (states.get(host) === 'attaching') states.set(host, 'live');
    }
    return {
      perform: async (kind: string, host: string, deployment: string, edge: EdgeMap): Promise<void> => {
        if (kind === 'attach') return attach(host, edge);
        if (kind === 'deploy') project = { ...project, currentDeploymentId: deployment };
        if (kind === 'configure') {
          const { redirects } = project.configuration.domains;
          project = { ...project, configuration: { domains: { redirects: redirects.length > 0 ? [] : [{ from: host, to: 'c.dev', status: 301 }] } } };
        }
        if (kind === 'remove') states.set(host, 'removing');
        if (kind === 'suspend') {
          suspension = { since: 0, reason: 'unpaid' };
          for (const [each, state] of states) if (state !== 'removing' && state !== 'removed') states.set(each, 'suspended');
        }
        const resumed = kind === 'resume' ? HOSTS.filter((each) => states.get(each) === 'suspended') : [];
        if (kind === 'resume') suspension = undefined;
        const hosts = kind === 'remove' ? [host] : kind === 'suspend' ? HOSTS : undefined;
        await publish({ ...ports, edge }, kind === 'remove' ? { id: project.id } : project, hosts);
        for (const each of resumed) await attach(each, edge);
      },
      expected: async () => {
        const publication = await publicationOf(
          reading(async (value) => value),
          project.id,
        );
        if (publication === undefined) return {};
        const entry = (host: string) => {
          const redirect = redirectOf(publication, host);
          return redirect === undefined ? project.id : `${project.id} ${redirect.status} ${redirect.to}`;
        };
        const { currentDeploymentId } = project;
        return {
          ...(currentDeploymentId !== undefined && { [project.id]: currentDeploymentId }),
          ...Object.fromEntries(publication.hosts.map((host) => [host, entry(host)])),
        };
      },
    };
  }
});
