// Light or dark mode, following the system.

import { applyMode, Mode } from '@cloudscape-design/global-styles';

/** Applies the system's color scheme, now and when it changes. */
export function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => applyMode(dark.matches ? Mode.Dark : Mode.Light);
  apply();
  dark.addEventListener('change', apply);
}
