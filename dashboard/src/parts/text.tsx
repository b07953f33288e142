// Text with host names, which are too long for some lines: a line may also end after a dot, and browsers already allow breaks after hyphens.

import { Fragment, useEffect, useState } from 'react';
import { serviceClockAheadMs } from '../api.ts';
import type { Domain } from '../shapes.ts';
import { fromNow, localTime } from '../times.ts';
import { useCopy } from '../ui/copy.ts';
import { Icon } from '../ui/icon.tsx';

const AFTER_DOTS = /(?<=\.)(?=\p{N}*[\p{L}_-])/u;
/** A word that is too long for a column. */
const LONG_WORD = /[^\s-]{25}/;
const AFTER_DOTS_AND_SLASHES = /(?<=[./])(?=\p{N}*[\p{L}_-])/u;

/** Text that may wrap within words only after dots. Copying it copies only the text. @param slashes whether also after slashes. @default false */
export function Breakable({ text, slashes = false }: { readonly text: string; readonly slashes?: boolean }) {
  const parts = text.split(slashes ? AFTER_DOTS_AND_SLASHES : AFTER_DOTS);
  const content = parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
  // Right-to-left letters in the text must not reorder the text around it.
  return <bdi className={parts.some((part) => LONG_WORD.test(part)) ? 'breakable' : undefined}>{content}</bdi>;
}

/** The host in ASCII, in parentheses; empty if it is displayed in ASCII anyway. */
export function AsciiHost({ domain: { host, displayHost } }: { readonly domain: Pick<Domain, 'host' | 'displayHost'> }) {
  return (
    host !== displayHost && (
      <small>
        (<Breakable text={host} />)
      </small>
    )
  );
}

/** Text with a copy button beside it or, on narrow screens, below it. @param label the button's accessible name, which starts with Copy */
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

/** A button that copies text, and shows whether that worked. */
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

/** Returns the current time by the service's clock, in milliseconds since 1970. @param tickMs milliseconds between two updates */
export function useNow(tickMs: number): number {
  const [now, setNow] = useState(() => Date.now() + serviceClockAheadMs());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() + serviceClockAheadMs()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return now;
}

/** Time from now; the exact time while hovered or focused. @param isAhead whether it may be in the future @param each milliseconds between updates */
export function Ago({ at, isAhead = false, each = 30_000 }: { readonly at: string; readonly isAhead?: boolean; readonly each?: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is for those without a pointer, too
    <time className="explained" dateTime={at} tabIndex={0}>
      {fromNow(at, useNow(each), isAhead)}
      <span role="tooltip">{localTime(at)}</span>
    </time>
  );
}
