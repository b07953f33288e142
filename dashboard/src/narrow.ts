// Whether the screen is narrow: a phone or a small tablet, operated by finger. ui/style.css has the same width.

import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 768px)');

function subscribe(changed: () => void): () => void {
  NARROW.addEventListener('change', changed);
  return () => NARROW.removeEventListener('change', changed);
}

/** Whether the screen is narrower than 769 CSS pixels, now and when it changes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
