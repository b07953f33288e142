// Whether the screen is narrow: too narrow for the navigation and tables beside each other. ui/style.css has the same width.

import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 960px)');

function subscribe(changed: () => void): () => void {
  NARROW.addEventListener('change', changed);
  return () => NARROW.removeEventListener('change', changed);
}

/** Whether the screen is narrower than 961 CSS pixels, now and when it changes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
