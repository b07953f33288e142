// The publishing procedure: read and announce all files, send those that the service does not have yet, publish. Every step can be repeated: an
// attempt that failed or was canceled continues where it left off, as does a new attempt with the same files in the same tab.

import { ApiError, troubleOf } from '../http/api-error.ts';
import { type Amount, createProgress, type LocalFile, UnreadableFile } from './progress.ts';

/** Maximum number of concurrent requests. */
const PARALLEL = 6;

export interface Announced {
  readonly name: string;
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A request that sends a file. */
export interface Target {
  readonly name: string;
  /** An absolute URL, or a path on this host, which requires the access token. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An upload that was started, and a value that identifies its files. */
export interface Begun {
  readonly deploymentId: string;
  readonly digest: string;
}

/** What publishing needs from the service and the browser. Requests reject with ApiError if refused, and with TypeError if there is no response. */
export interface PublishingPorts {
  /** @returns the id of the deployment */
  begin(files: readonly Announced[], signal: AbortSignal): Promise<string>;
  /** Returns a page of requests to send. @param after `next` of the previous page */
  list(
    deploymentId: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly targets: readonly Target[]; readonly next: string | null }>;
  /** Sends a file. @param moved called with the number of bytes sent so far */
  put(target: Target, content: Blob, moved: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  publish(deploymentId: string, signal: AbortSignal): Promise<unknown>;
  /** Cancels an upload that will not be continued. */
  cancel(deploymentId: string): Promise<unknown>;
  readonly wait: Wait;
  /** This project's most recently started upload, if it is not published. */
  readonly unfinished: { get(): Begun | undefined; set(begun: Begun | undefined): void };
}

export type Phase = 'preparing' | 'sending' | 'publishing';

export interface Publishing {
  /** Publishes, or continues. @param report called when there is progress @throws UnreadableFile, ApiError, TypeError, or the signal's reason */
  run(report: (phase: Phase, done: Amount) => void, signal: AbortSignal): Promise<void>;
}

/** Creates the procedure that publishes these files. */
export function createPublishing(ports: PublishingPorts, files: readonly LocalFile[]): Publishing {
  const byName = new Map(files.map((file) => [file.name, file]));
  const progress = createProgress(files);
  const announced: Announced[] = [];

  async function prepare(report: (done: Amount) => void, signal: AbortSignal): Promise<void> {
    let bytes = announced.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of files.slice(announced.length)) {
      signal.throwIfAborted();
      const content = await file.read();
      const sha256 = await sha256Of(await readAll(file.name, content));
      // Publishing may have been canceled and started again meanwhile; if so, the other run announces this file.
      signal.throwIfAborted();
      announced.push({ name: file.name, bytes: content.size, sha256 });
      bytes += content.size;
      report({ files: announced.length, bytes });
    }
  }

  async function begin(digest: string, signal: AbortSignal): Promise<string> {
    const replaced = ports.unfinished.get();
    // A project may have only a few uploads. If this fails, the upload ends within a day.
    if (replaced !== undefined) await ports.cancel(replaced.deploymentId).catch(() => {});
    const deploymentId = await retrying(() => ports.begin(announced, signal), ports.wait, signal);
    ports.unfinished.set({ deploymentId, digest });
    return deploymentId;
  }

  async function send(deploymentId: string, report: () => void, signal: AbortSignal): Promise<void> {
    const targets = missingTargets(deploymentId, signal);
    let hasFailed = false;
    progress.begin();
    const worker = async () => {
      while (!hasFailed) {
        // Several senders may wait for the same page; the generator serves them in turn.
        const { done, value: target } = await targets.next();
        if (done) return;
        await sendOne(target, report, signal);
        report();
      }
    };
    const guarded = () =>
      worker().catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    // After a failure, the other senders finish their current files, so that the next attempt has less to send.
    const outcomes = await Promise.allSettled(Array.from({ length: PARALLEL }, guarded));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async function* missingTargets(deploymentId: string, signal: AbortSignal): AsyncGenerator<Target, undefined> {
    let after: string | undefined;
    do {
      const page = await retrying(() => ports.list(deploymentId, after, signal), ports.wait, signal);
      progress.listed(page.targets);
      yield* page.targets;
      after = page.next ?? undefined;
    } while (after !== undefined);
    return undefined;
  }

  async function sendOne(target: Target, report: () => void, signal: AbortSignal): Promise<void> {
    const file = byName.get(target.name);
    if (file === undefined) throw new UnreadableFile(`${target.name} is not among the files. Choose the files again.`);
    const moved = (bytes: number) => {
      progress.moved(target, bytes);
      report();
    };
    const attempt = async () => {
      moved(0);
      await ports.put(target, await file.read(), moved, signal);
    };
    await retrying(attempt, ports.wait, signal);
    progress.sent(target);
  }

  return {
    run: async (report, signal) => {
      await prepare((done) => report('preparing', done), signal);
      const digest = await sha256Of(new TextEncoder().encode(JSON.stringify(announced)));
      const sendAll = (deploymentId: string) => send(deploymentId, () => report('sending', progress.done()), signal);
      report('sending', progress.done());
      const unfinished = ports.unfinished.get();
      let deploymentId = unfinished?.digest === digest ? unfinished.deploymentId : await begin(digest, signal);
      try {
        await sendAll(deploymentId);
      } catch (error) {
        if (!(isGone(error) && deploymentId === unfinished?.deploymentId)) throw error;
        // The upload has expired.
        deploymentId = await begin(digest, signal);
        await sendAll(deploymentId);
      }
      report('publishing', progress.done());
      await retrying(() => ports.publish(deploymentId, signal), ports.wait, signal);
      ports.unfinished.set(undefined);
    },
  };
}

/** Whether a target is a path on this host, which requires the access token. Other URLs are signed, and must not get it. */
export function isOwnPath(url: string): boolean {
  // A URL that begins with two slashes, or with a slash and a backslash, names another host.
  return /^\/(?![/\\])/.test(url);
}

async function readAll(name: string, content: Blob): Promise<ArrayBuffer> {
  try {
    return await content.arrayBuffer();
  } catch (cause) {
    throw new UnreadableFile(`${name} can't be read. Choose the files again.`, { cause });
  }
}

/** Uses the browser's own implementation, which exists wherever a user can sign in, because signing in also needs it. */
async function sha256Of(content: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', content))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

// Retries of requests that failed because of the connection or the service.

/** How long to wait before each retry, in milliseconds; after the last one, the user decides. */
const WAITS_MS = [1_000, 3_000, 9_000];
/** Refusals that may be temporary (RFC 9110 and 6585). */
const TEMPORARY_STATUS = [408, 429];

/** Waits, in milliseconds. Rejects with the signal's reason if it is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Does the work, and retries temporary failures. @throws what the last attempt threw, or the signal's reason */
async function retrying<T>(work: () => Promise<T>, wait: Wait, signal: AbortSignal): Promise<T> {
  for (const milliseconds of WAITS_MS) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      await wait(milliseconds, signal);
    }
  }
  return work();
}

function isTemporary(error: unknown): boolean {
  return troubleOf(error) !== undefined || (error instanceof ApiError && TEMPORARY_STATUS.includes(error.status));
}
