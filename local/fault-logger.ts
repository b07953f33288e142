// Bounds the log while a fault lasts: on a full disk, each request would otherwise get a line with stacks.

import { Logger } from '@aws-lambda-powertools/logger';
import type { LogItemExtraInput, LogItemMessage } from '@aws-lambda-powertools/logger/types';
import { BoundedMap } from '../core/bounded-map.ts';

/** Lines about one kind of fault in a period. All further ones are counted. */
const LINES = 10;
const PERIOD_MS = 60_000;
/** Kinds that are counted. */
const MOST_KINDS = 1_000;

/** Faults of one kind in this period. */
interface Counted {
  lines: number;
  latest: readonly [message: LogItemMessage, extra: LogItemExtraInput];
}

/** Logs the first faults of each kind in a minute, and at its end how many more there were, with the last of them. */
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

/** Faults from the same place are of one kind: their messages may name what each of them was about. */
function kindOf(message: LogItemMessage, [extra]: LogItemExtraInput): string {
  let error: unknown = typeof extra === 'object' && 'error' in extra ? extra.error : extra;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  if (!(error instanceof Error)) return String(message);
  const { name, code, stack = '' } = error as NodeJS.ErrnoException;
  return [message, name, code, /^ +at .*$/m.exec(stack)?.[0]].join(' ');
}
