// Whether the screen is too narrow for the navigation beside the content. ui/style.css uses the same width.

import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 960px)');

function subscribe(changed: () => void): () => void {
  NARROW.addEventListener('change', changed);
  return () => NARROW.removeEventListener('change', changed);
}

/** Returns whether the screen is narrower than 961 CSS pixels, and rerenders when that changes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
