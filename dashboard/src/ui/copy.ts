// Copying to the clipboard, for the dashboard and the API reference.

import { useEffect, useState } from 'react';

/** How long it is said that the text is copied, in milliseconds. */
const COPIED_MS = 3_000;

/** Returns what copies a text, and whether that worked, for as long as it is news. */
export function useCopy(text: string): { readonly copy: () => void; readonly outcome: 'Copied' | 'Copying failed' | undefined } {
  const [outcome, setOutcome] = useState<'Copied' | 'Copying failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Copying failed'),
    );
  return { copy, outcome };
}
