// Light or dark, as the system has it.

import { applyMode, Mode } from '@cloudscape-design/global-styles';

export function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => applyMode(dark.matches ? Mode.Dark : Mode.Light);
  apply();
  dark.addEventListener('change', apply);
}
