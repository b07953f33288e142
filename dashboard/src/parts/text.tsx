// Text with host names, which are too long for some lines: a line may end after a dot as well, and browsers break after hyphens themselves.

import { Fragment, useEffect, useState } from 'react';
import { serviceClockAheadMs } from '../api.ts';
import type { Domain } from '../shapes.ts';
import { useCopy } from '../ui/copy.ts';
import { Icon } from '../ui/icon.tsx';

const AFTER_DOTS = /(?<=\.)(?=\p{N}*[\p{L}_-])/u;
/** Too long for a column of its own. */
const LONG_WORD = /[^\s-]{25}/;
const AFTER_DOTS_AND_SLASHES = /(?<=[./])(?=\p{N}*[\p{L}_-])/u;

/**
 * Text whose lines may end after dots within words, and not elsewhere in words, nor within numbers and addresses. What is copied is the text alone.
 *
 * @param slashes whether lines may end after slashes, too. @default false
 */
export function Breakable({ text, slashes = false }: { readonly text: string; readonly slashes?: boolean }) {
  const parts = text.split(slashes ? AFTER_DOTS_AND_SLASHES : AFTER_DOTS);
  const content = parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
  // Whatever the direction of its letters, what is around it stays in its place.
  return <bdi className={parts.some((part) => LONG_WORD.test(part)) ? 'breakable' : undefined}>{content}</bdi>;
}

// A host as its owner would write it, and as the DNS has it if that differs.

/** The host in ASCII, in parentheses; empty if it is displayed so anyway. */
export function AsciiHost({ domain: { host, displayHost } }: { readonly domain: Pick<Domain, 'host' | 'displayHost'> }) {
  return (
    host !== displayHost && (
      <small>
        (<Breakable text={host} />)
      </small>
    )
  );
}

// Text with a copy button: next to it, or below it on narrow screens, as wide as there is room.

/** @param label the button's accessible name, which starts with Copy */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className="copy">
      <span>
        <Breakable text={text} />
      </span>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** A button that copies a text, and says whether that worked. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { copy, outcome } = useCopy(text);
  return (
    <span className="copy-button">
      <button type="button" className="button plain" aria-label={label} onClick={copy}>
        <Icon name={outcome === 'Copied' ? 'check' : 'copy'} />
        <span className="narrow-only">Copy</span>
      </button>
      <span role="status">{outcome}</span>
    </span>
  );
}

// Formats times, given in ISO 8601, in the reader's time zone and language.

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
// The days used for limits are UTC days, whatever the time zone.
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Date. */
export const localDay = (iso: string) => day.format(new Date(iso));
/** Date and time, with seconds. */
export const localTime = (iso: string) => moment.format(new Date(iso));
/** Date and time, without seconds. */
export const localMinute = (iso: string) => minute.format(new Date(iso));
/** Time of day, without seconds. */
export const localTimeOfDay = (iso: string) => clock.format(new Date(iso));
/** Month and day, in UTC. */
export const utcDayText = (iso: string) => utcDay.format(new Date(iso));
/** The reader's time zone, such as `Europe/Berlin`. */
export const timeZone = () => clock.resolvedOptions().timeZone;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** The time now, by the service's clock, in milliseconds since 1970. @param tickMs between two values */
export function useNow(tickMs: number): number {
  const [now, setNow] = useState(() => Date.now() + serviceClockAheadMs());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() + serviceClockAheadMs()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return now;
}

/** How long ago something was, or how long it is until then: `3 hours ago`, `in 6 days`; the date beyond a week. @param now milliseconds since 1970 */
export function fromNow(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  if (Math.abs(ms) < MINUTE_MS) return ms > 0 ? `in ${Math.ceil(ms / 1_000)} s` : 'just now';
  if (Math.abs(ms) > 7 * DAY_MS) return localDay(iso);
  const [unit, size] =
    Math.abs(ms) < HOUR_MS ? (['minute', MINUTE_MS] as const) : Math.abs(ms) < DAY_MS ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const);
  // What is to come is not longer than it is said to be, but a day is rounded: a week minus a second is in 7 days.
  return relative.format(unit === 'day' && ms > 0 ? Math.round(ms / size) : Math.trunc(ms / size), unit);
}

/** When something was or will be, from now; the time itself while it has the pointer or the focus. @param each milliseconds between two updates */
export function Ago({ at, each = MINUTE_MS / 2 }: { readonly at: string; readonly each?: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is for those without a pointer, too
    <time className="explained" dateTime={at} tabIndex={0}>
      {fromNow(at, useNow(each))}
      <span role="tooltip">{localTime(at)}</span>
    </time>
  );
}
