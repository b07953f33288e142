// The access log: a line of JSON for each request, on the standard output, like the rest of the log.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import type { LogItemExtraInput, LogItemMessage } from '@aws-lambda-powertools/logger/types';
import { BoundedMap } from '../core/bounded-map.ts';
import { type LogEntry, loggedPath, logLine, traceContext } from '../core/http/trace-context.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import { type HostWatch, SIGN_IN } from './watch.ts';

/** Lines are written together, at the latest when they have this many characters. */
const MOST_WAITING = 64 * 1024;
const SERVICE = 'petstore';

export interface AccessLog {
  /** Adds a line. Never throws, because a log that can't be written must not end requests. */
  readonly write: (message: string, entry: LogEntry) => void;
  /** Immediately writes the lines that wait for the end of this turn of the event loop. */
  readonly flush: () => void;
}

/** Creates the log. @param output writes text, for example to the standard output @param clock milliseconds since 1970 */
export function createAccessLog(output: (text: string) => void, clock: () => number): AccessLog {
  let waiting = '';
  let isScheduled = false;

  const flush = () => {
    isScheduled = false;
    const text = waiting;
    waiting = '';
    if (text === '') return;
    try {
      output(text);
    } catch {}
  };

  return {
    flush,
    write: (message, entry) => {
      try {
        waiting += logLine({ level: 'INFO', message, timestamp: new Date(clock()).toISOString(), service: SERVICE, ...entry });
      } catch {
        return;
      }
      if (waiting.length >= MOST_WAITING) flush();
      else if (!isScheduled) {
        isScheduled = true;
        setImmediate(flush);
      }
    },
  };
}

/** Opens the log on the standard output; undefined if it is off in the settings. @param clock milliseconds since 1970 */
export function openAccessLog({ accessLog }: Pick<Settings, 'accessLog'>, clock: () => number): AccessLog | undefined {
  return accessLog === 'off' ? undefined : createAccessLog((text) => void process.stdout.write(text), clock);
}

/** Logs requests that are not for an API: pages, sign-in, incoming files. @param clock milliseconds since 1970 */
export function logPages(log: AccessLog, clock: () => number): HostWatch {
  return {
    follow: (request, response, client, { api, operation }) => {
      const began = clock();
      const { method, url = '', socket, headers } = request;
      // A connection has only one response at a time.
      const before = socket.bytesWritten;
      response.once('close', () =>
        log.write('request', {
          ...idsOf(headers.traceparent?.toString()),
          sourceIp: client.address,
          operation: api === operation ? api : `${api}.${operation}`,
          method,
          path: api === SIGN_IN.api ? withoutId(loggedPath(url)) : loggedPath(url),
          status: response.statusCode,
          durationMs: clock() - began,
          bytes: socket.bytesWritten - before,
        }),
      );
    },
    refused: () => {},
    connectionRefused: () => {},
  };
}

function idsOf(traceparent: string | undefined) {
  const { traceId, spanId } = traceContext(traceparent, undefined, randomBytes);
  return { traceId, spanId };
}

/** Removes the id of a sign-in in progress from its path. */
function withoutId(path: string): string {
  return path.replace(/[\w-]{16,}/g, '…');
}

// Bounds the log while a fault lasts: on a full disk, each request would otherwise get a line with stack traces.

/** Maximum number of lines about one kind of fault per period. Further faults are only counted. */
const LINES = 10;
const PERIOD_MS = 60_000;
/** Maximum number of kinds. */
const MOST_KINDS = 1_000;

interface Counted {
  lines: number;
  latest: readonly [message: LogItemMessage, extra: LogItemExtraInput];
}

/** Logs the first faults of each kind in a minute and, at its end, the number of further ones, with the last of them. */
export class FaultLogger extends Logger {
  readonly #counts = new BoundedMap<string, Counted>(MOST_KINDS);

  override error(message: LogItemMessage, ...extra: LogItemExtraInput): void {
    const kind = kindOf(message, extra);
    const known = this.#counts.get(kind);
    const counted: Counted = { lines: (known?.lines ?? 0) + 1, latest: [message, extra] };
    if (known === undefined) this.#begin(kind, counted);
    else Object.assign(known, counted);
    if (counted.lines <= LINES) super.error(message, ...extra);
  }

  #begin(kind: string, counted: Counted): void {
    this.#counts.set(kind, counted);
    setTimeout(() => {
      if (this.#counts.get(kind) === counted) this.#counts.delete(kind);
      const [message, extra] = counted.latest;
      if (counted.lines > LINES) super.error(`${message}: ${counted.lines - LINES} more in this minute, of which this is the last`, ...extra);
    }, PERIOD_MS).unref();
  }
}

/** Returns the kind of a fault, which is the place where it was thrown, because messages may differ. */
function kindOf(message: LogItemMessage, [extra]: LogItemExtraInput): string {
  let error: unknown = typeof extra === 'object' && 'error' in extra ? extra.error : extra;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  if (!(error instanceof Error)) return String(message);
  const { name, code, stack = '' } = error as NodeJS.ErrnoException;
  return [message, name, code, /^ +at .*$/m.exec(stack)?.[0]].join(' ');
}
