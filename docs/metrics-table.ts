// The table of metrics in docs/reference/metrics.md.

import { type Family, seriesNames } from '../core/metrics/registry.ts';
import { FAMILIES } from '../platforms/embedded/metrics/families.ts';

/** Returns a row for each family: as queries name it, its labels, and what it is. */
export function metricsTable(): string {
  const rows = Object.values<Family>(FAMILIES).map((family) => {
    const name = family.kind === 'histogram' ? family.name : seriesNames(family)[0];
    const labels = (family.labels ?? []).map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${family.kind} | ${labels} | ${family.help} |\n`;
  });
  return ['| metric | kind | labels | |\n', '| --- | --- | --- | --- |\n', ...rows].join('');
}
