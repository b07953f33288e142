// A clock that does not follow a jump ahead at once. A machine's clock may be a year ahead for a few seconds, until it is synchronized; meanwhile, no
// final decision may depend on it, such as what to delete, which certificate has expired, or which message is too old. This clock advances by elapsed
// time, and follows the machine's once the jump has lasted an hour. A clock that is set back is followed at once, because then nothing ends early.

export interface SettledClockOptions {
  /** The machine's clock, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Time since an arbitrary moment, in milliseconds. It can't be set, and continues while the machine is asleep. */
  readonly elapsed: () => number;
  /** The last time that this clock showed before a restart, and `elapsed` then; it continues from there. @default starts at the machine's time */
  readonly last?: readonly [at: number, elapsed: number] | undefined;
  /** For how long the machine's clock had been ahead at `last`, in milliseconds; counting continues from there. @default 0: it was not ahead */
  readonly aheadForMs?: number | undefined;
  /** By how much the machine's clock may be ahead at the start, in milliseconds. @default FOLLOWED_MS */
  readonly tolerance?: number;
  /** Called when the machine's clock jumps ahead and this one does not follow. @param aheadMs milliseconds */
  readonly onJump?: (aheadMs: number) => void;
}

/** How far ahead the machine's clock may jump and still be followed at once, in milliseconds. */
export const FOLLOWED_MS = 3_600_000;
/** How long a jump must last to be followed, in milliseconds. */
export const LASTED_MS = 3_600_000;

export interface SettledClock {
  /** Returns the time, in milliseconds since 1970. */
  (): number;
  /** Returns how long the machine's clock has been ahead, in milliseconds; undefined if this clock follows it. */
  aheadForMs(): number | undefined;
}

/** Creates the clock. */
export function createSettledClock({ clock, elapsed, last, aheadForMs = 0, tolerance = FOLLOWED_MS, onJump }: SettledClockOptions): SettledClock {
  /** `elapsed` plus this offset is this clock's time. */
  let offset = clock() - elapsed();
  /** When the machine's clock jumped ahead, and its smallest offset since then. */
  let jump: { readonly since: number; readonly offset: number } | undefined;
  if (last !== undefined) {
    const [at, then] = last;
    if (offset > at - then + tolerance) {
      jump = { since: elapsed() - aheadForMs, offset };
      onJump?.(offset - (at - then));
      offset = at - then;
    }
  }
  const read = () => {
    const now = elapsed();
    const current = clock() - now;
    if (current <= offset + FOLLOWED_MS) {
      offset = current;
      jump = undefined;
    } else if (jump === undefined) {
      jump = { since: now, offset: current };
      onJump?.(current - offset);
    } else {
      jump = { since: jump.since, offset: Math.min(jump.offset, current) };
      if (now - jump.since >= LASTED_MS) {
        offset = jump.offset;
        jump = undefined;
      }
    }
    return Math.floor(now + offset);
  };
  return Object.assign(read, { aheadForMs: () => jump && elapsed() - jump.since });
}
