// How the dashboard sends a site: in parallel, with retries, continuing after failures and cancellations.

import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../core/http/api-error.ts';
import { createProgress, type LocalFile, percentOf, UnreadableFile } from '../../core/publishing/progress.ts';

import { type Announced, type Begun, createPublishing, isOwnPath, type Phase, type Target } from '../../core/publishing/publishing.ts';

import { EMPTY, nextState, type PublishEvent } from '../../dashboard/src/publish/state.ts';

const AWAY = new TypeError('Failed to fetch');
const contentOf = (name: string) => `content of ${name}`;
const site = (count: number): LocalFile[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `file-${String(index).padStart(3, '0')}.txt`;
    return { name, bytes: contentOf(name).length, read: async () => new Blob([contentOf(name)]) };
  });

/** A service with pages of ten, which checks what it gets. Pages of HTML have two addresses, as on AWS. */
function service() {
  const uploads = new Map<string, { files: readonly Announced[]; stored: Set<string> }>();
  let begun: Begun | undefined;
  const state = {
    announced: [] as string[][],
    published: [] as string[],
    canceled: [] as string[],
    waits: [] as number[],
    puts: [] as string[],
    most: 0,
    /** Called before each request, with what it does; may throw. */
    before: (_: string) => {},
    expire: () => uploads.clear(),
    ports: {
      begin: async (files: readonly Announced[]) => {
        state.before('begin');
        const id = `dpl_${state.announced.length + 1}`;
        state.announced.push(files.map(({ name }) => name));
        uploads.set(id, { files: [...files], stored: new Set() });
        return id;
      },
      list: async (id: string, after: string | undefined) => {
        state.before('list');
        const upload = uploads.get(id);
        if (upload === undefined) throw new ApiError(404, 'not_found', 'no such upload');
        const all = upload.files.flatMap(({ name }) => (name.endsWith('.html') ? [name, name.slice(0, -5)] : [name]).map((key) => ({ name, key })));
        const start = Number(after ?? 0);
        const targets = all
          .slice(start, start + 10)
          .filter(({ key }) => !upload.stored.has(key))
          .map(({ name, key }) => ({ name, url: `/${id}/${key}`, headers: {} }));
        return { targets, next: start + 10 < all.length ? String(start + 10) : null };
      },
      put: async ({ name, url }: Target, content: Blob, moved: (bytes: number) => void) => {
        underWay += 1;
        state.most = Math.max(state.most, underWay);
        try {
          await new Promise(setImmediate);
          state.before(`put ${name}`);
          state.puts.push(name);
          const [, id = '', key = ''] = url.split('/');
          const text = await content.text();
          const announced = uploads.get(id)?.files.find((file) => file.name === name);
          expect(announced).toEqual({ name, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') });
          moved(content.size);
          uploads.get(id)?.stored.add(key);
        } finally {
          underWay -= 1;
        }
      },
      publish: async (id: string) => {
        state.before('publish');
        state.published.push(id);
      },
      cancel: async (id: string) => {
        state.canceled.push(id);
        if (!uploads.delete(id)) throw new ApiError(404, 'not_found', 'no such upload');
      },
      wait: async (milliseconds: number) => void state.waits.push(milliseconds),
      unfinished: {
        get: () => begun,
        set: (next: Begun | undefined) => {
          begun = next;
        },
      },
    },
  };
  let underWay = 0;
  return state;
}

const never = () => new AbortController().signal;
const nothing = () => {};

describe('publishing', () => {
  let world: ReturnType<typeof service>;
  beforeEach(() => {
    world = service();
  });

  test('sends each file once, at most six at a time, then publishes, and reports its progress', async () => {
    const files = site(25);
    const reports: [Phase, number, number][] = [];
    await createPublishing(world.ports, files).run((phase, done) => reports.push([phase, done.files, done.bytes]), never());
    expect([world.published, [...world.puts].sort(), world.most, world.waits]).toEqual([['dpl_1'], files.map(({ name }) => name), 6, []]);
    expect([...new Set(reports.map(([phase]) => phase))]).toEqual(['preparing', 'sending', 'publishing']);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    expect(reports.at(-1)).toEqual(['publishing', 25, bytes]);
    const sent = reports.filter(([phase]) => phase === 'sending').map(([, , each]) => each);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(world.ports.unfinished.get()).toBeUndefined();
  });

  test('tries again after growing waits if the connection or the service fails', async () => {
    let failures = 0;
    world.before = (request) => {
      if (['begin', 'list', 'publish', 'put file-001.txt'].includes(request) && failures++ % 2 === 0)
        throw failures % 4 === 1 ? AWAY : new ApiError(503, 'unavailable', 'try again');
    };
    await createPublishing(world.ports, site(3)).run(nothing, never());
    expect([world.published.length, world.waits]).toEqual([1, [1_000, 1_000, 1_000, 1_000]]);
  });

  test('gives up after three more tries, and continues with what is missing', async () => {
    const files = site(25);
    const publishing = createPublishing(world.ports, files);
    world.before = (request) => {
      if (request === 'put file-012.txt') throw AWAY;
    };
    await expect(publishing.run(nothing, never())).rejects.toBe(AWAY);
    expect(world.waits).toEqual([1_000, 3_000, 9_000]);
    const before = world.puts.length;
    expect([before > 5, before < 25, world.published]).toEqual([true, true, []]);
    world.before = nothing;
    await publishing.run(nothing, never());
    expect(world.published).toEqual(['dpl_1']);
    expect([...world.puts].sort()).toEqual(files.map(({ name }) => name));
  });

  test('does not try again what is refused, and sends nothing more', async () => {
    const refusal = new ApiError(400, 'invalid_request', 'other content');
    world.before = (request) => {
      if (request === 'put file-000.txt') throw refusal;
    };
    await expect(createPublishing(world.ports, site(25)).run(nothing, never())).rejects.toBe(refusal);
    expect(world.waits).toEqual([]);
    // Those that were being sent at the same time.
    expect(world.puts.length).toBeLessThanOrEqual(5);
  });

  test('stops when it is canceled; the same files continue the upload, others begin one instead', async () => {
    const controller = new AbortController();
    world.before = (request) => {
      if (request === 'put file-010.txt') controller.abort(new Error('canceled'));
      controller.signal.throwIfAborted();
    };
    await expect(createPublishing(world.ports, site(25)).run(nothing, controller.signal)).rejects.toThrow('canceled');
    const before = world.puts.length;
    expect(before).toBeLessThan(25);
    world.before = nothing;
    // As after a reload: nothing but the unfinished upload is known.
    await createPublishing(world.ports, site(25)).run(nothing, never());
    expect([world.puts.length, world.published]).toEqual([25, ['dpl_1']]);
    world.before = (request) => {
      if (request === 'publish') throw new ApiError(400, 'invalid_request', 'no');
    };
    await expect(createPublishing(world.ports, site(3)).run(nothing, never())).rejects.toThrow('no');
    world.before = nothing;
    await createPublishing(world.ports, site(4)).run(nothing, never());
    expect([world.published, world.canceled]).toEqual([['dpl_1', 'dpl_3'], ['dpl_2']]);
  });

  test('that is canceled while it reads the files, and begun again at once, announces each file once', async () => {
    const files = site(5);
    const controller = new AbortController();
    const publishing = createPublishing(world.ports, files);
    const canceled = publishing.run(
      (_, done) => void (done.files === 2 && setImmediate(() => controller.abort(new Error('canceled')))),
      controller.signal,
    );
    await new Promise<void>((resolve) => {
      controller.signal.addEventListener('abort', () => resolve());
    });
    await Promise.all([expect(canceled).rejects.toThrow('canceled'), publishing.run(nothing, never())]);
    expect([...world.puts].sort()).toEqual(files.map(({ name }) => name));
    expect(world.announced).toEqual([files.map(({ name }) => name)]);
  });

  test('begins again if the unfinished upload has expired', async () => {
    world.before = (request) => {
      if (request === 'publish') throw new ApiError(400, 'invalid_request', 'no');
    };
    await expect(createPublishing(world.ports, site(2)).run(nothing, never())).rejects.toThrow('no');
    world.before = nothing;
    world.expire();
    await createPublishing(world.ports, site(2)).run(nothing, never());
    expect([world.puts.length, world.published.length]).toEqual([4, 1]);
  });

  test('reports files that can no longer be read', async () => {
    const [first, second] = site(2);
    if (first === undefined || second === undefined) throw new Error('no files');
    let reads = 0;
    const gone = {
      ...second,
      read: async () => {
        reads += 1;
        if (reads > 1) throw new UnreadableFile(`${second.name} has changed`);
        return second.read();
      },
    };
    await expect(createPublishing(world.ports, [first, gone]).run(nothing, never())).rejects.toThrow('has changed');
    expect(world.waits).toEqual([]);
  });

  test('ends at a file whose content can’t be read, and names it', async () => {
    const [first = expect.fail('no file')] = site(1);
    const unreadable = new Blob(['x']);
    unreadable.arrayBuffer = () => Promise.reject(new DOMException('changed on disk', 'NotReadableError'));
    const failed = createPublishing(world.ports, [{ ...first, read: async () => unreadable }]).run(nothing, never());
    await expect(failed).rejects.toThrow(new UnreadableFile(`${first.name} can't be read. Choose the files again.`));
    expect(world.announced).toEqual([]);
  });

  test('sends a page to each of its addresses, and counts it once', async () => {
    const page: LocalFile = { name: 'a.html', bytes: 17, read: async () => new Blob([contentOf('a.html')]) };
    let last = { files: 0, bytes: 0 };
    await createPublishing(world.ports, [{ ...page, bytes: contentOf('a.html').length }]).run((_, done) => {
      last = done;
    }, never());
    expect([world.puts, last]).toEqual([['a.html', 'a.html'], { files: 1, bytes: contentOf('a.html').length }]);
  });
});

test('the token is for paths on this host only', () => {
  expect(['/dashboard/v1/x', 'https://bucket.s3.amazonaws.com/x', '//evil.test/x', '/\\evil.test/x', 'x', ''].map(isOwnPath)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

describe('progress', () => {
  test('counts what is under way, and never goes back', () => {
    const progress = createProgress([
      { name: 'a', bytes: 100, read: async () => new Blob([]) },
      { name: 'b', bytes: 100, read: async () => new Blob([]) },
    ]);
    const [one, other, b] = [{ name: 'a' }, { name: 'a' }, { name: 'b' }];
    progress.listed([one, other, b]);
    progress.moved(b, 50);
    expect(progress.done()).toEqual({ files: 0, bytes: 50 });
    progress.moved(b, 0);
    expect(progress.done()).toEqual({ files: 0, bytes: 50 });
    progress.sent(one);
    expect(progress.done().files).toBe(0);
    progress.sent(other);
    progress.begin();
    progress.listed([{ ...b }]);
    expect(progress.done()).toEqual({ files: 1, bytes: 100 });
  });

  test.each([
    [{ files: 1, bytes: 199 }, { files: 3, bytes: 200 }, 99],
    [{ files: 1, bytes: 0 }, { files: 2, bytes: 0 }, 50],
    [{ files: 0, bytes: 0 }, { files: 0, bytes: 0 }, 0],
  ])('%o of %o is %i percent', (done, all, percent) => {
    expect(percentOf(done, all)).toBe(percent);
  });
});

describe('the page', () => {
  const selection = { files: site(1), bytes: 1, folder: undefined, skipped: 0 };
  const failure = new Error('no');
  const done = { files: 1, bytes: 1 };
  const after = (...events: readonly PublishEvent[]) => events.reduce(nextState, EMPTY).name;
  const CHOSEN: readonly PublishEvent[] = [{ name: 'listing' }, { name: 'chosen', selection }];
  const RUNNING: readonly PublishEvent[] = [...CHOSEN, { name: 'started' }];

  test.each<[string, readonly PublishEvent[]]>([
    ['empty', [{ name: 'listing' }, { name: 'unreadable', failure }]],
    ['chosen', CHOSEN],
    ['listing', [...CHOSEN, { name: 'listing' }]],
    ['empty', [...CHOSEN, { name: 'discarded' }]],
    ['running', [...RUNNING, { name: 'moved', phase: 'sending', done }]],
    ['running', [...RUNNING, { name: 'failed', failure }, { name: 'started' }]],
    ['published', [...RUNNING, { name: 'published' }]],
    ['chosen', [...RUNNING, { name: 'canceled' }]],
    // What comes too late changes nothing.
    ['chosen', [...RUNNING, { name: 'canceled' }, { name: 'moved', phase: 'sending', done }, { name: 'failed', failure }, { name: 'published' }]],
    ['running', [...RUNNING, ...CHOSEN, { name: 'discarded' }, { name: 'started' }]],
    ['empty', [{ name: 'chosen', selection }, { name: 'unreadable', failure }, { name: 'started' }]],
  ])('is %s after %j', (expected, events) => {
    expect(after(...events)).toBe(expected);
  });
});
