// Copying to the clipboard, for the dashboard and the API reference.

import { useEffect, useState } from 'react';

/** How long the text is reported as copied, in milliseconds. */
const COPIED_MS = 3_000;

/** Returns a function that copies text, and the outcome of copying, which is undefined unless it is being shown. */
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
