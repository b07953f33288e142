// Metrics as text that Prometheus reads: OpenMetrics 1.0 (https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md), and
// format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format) for scrapers that don't accept OpenMetrics.

import Negotiator from 'negotiator';
import { type Family, type FamilyValues, type Histogram, seriesNames } from './registry.ts';

export type ExpositionFormat = 'openmetrics' | 'prometheus';

export const CONTENT_TYPES = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
} as const satisfies Readonly<Record<ExpositionFormat, string>>;

/** The media types by which scrapers request the formats. The older format is first, for scrapers that accept anything. */
const ACCEPTED: readonly (readonly [mediaType: string, format: ExpositionFormat])[] = [
  ['text/plain;version=0.0.4', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['application/openmetrics-text;version=1.0.0', 'openmetrics'],
  ['application/openmetrics-text;version=1.0.0;charset=utf-8', 'openmetrics'],
];

/** Chooses the format for an `Accept` header: the older one, which every scraper can parse, if it names neither or is missing. */
export function formatFor(accept: string | undefined): ExpositionFormat {
  // Prometheus 3 adds a parameter for the escaping of non-ASCII names. We have no such names.
  const plain = accept?.replace(/;\s*escaping=[\w-]+/g, '');
  const preferred = new Negotiator({ headers: { accept: plain } }).mediaType(ACCEPTED.map(([mediaType]) => mediaType));
  return ACCEPTED.find(([mediaType]) => mediaType === preferred)?.[1] ?? 'prometheus';
}

/** Writes all series. Families without series are left out. */
export function exposition(values: readonly FamilyValues[], format: ExpositionFormat): string {
  const lines = values.flatMap(({ family, cells, histograms }) => {
    const names = seriesNames(family);
    const [name = ''] = names;
    const series = [
      ...cells.map(({ labels, value }) => `${name}${labelText(family, labels)} ${numberText(value.value)}`),
      ...histograms.flatMap(({ labels, value }) => histogramLines(family, names, labels, value)),
    ];
    return series.length === 0 ? [] : [...headLines(family, format), ...series];
  });
  return [...lines, ...(format === 'openmetrics' ? ['# EOF'] : []), ''].join('\n');
}

function headLines(family: Family, format: ExpositionFormat): readonly string[] {
  const { kind, help, unit } = family;
  const isOpen = format === 'openmetrics';
  // The older format has no info metrics, and its headers name counters with their suffix.
  const name = isOpen || kind === 'histogram' ? family.name : (seriesNames(family)[0] ?? '');
  const type = kind === 'info' && !isOpen ? 'gauge' : kind;
  return [
    `# TYPE ${name} ${type}`,
    ...(isOpen && unit !== undefined ? [`# UNIT ${name} ${unit}`] : []),
    `# HELP ${name} ${isOpen ? escaped(help) : help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
  ];
}

function histogramLines(
  family: Family,
  [bucket = '', count = '', sum = '']: readonly string[],
  labels: readonly string[],
  value: Histogram,
): readonly string[] {
  const bounds = [...(family.bounds ?? []).map(boundText), '+Inf'];
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += value.counts[index] ?? 0;
    return `${bucket}${labelText(family, labels, bound)} ${numberText(below)}`;
  });
  return [...buckets, `${count}${labelText(family, labels)} ${numberText(below)}`, `${sum}${labelText(family, labels)} ${numberText(value.sum)}`];
}

/** Returns the canonical text, which has a fraction, in both formats, so that a change of format does not start new series. */
function boundText(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function labelText({ labels: names = [] }: Family, values: readonly string[], bound?: string): string {
  const pairs = names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`);
  if (bound !== undefined) pairs.push(`le="${bound}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** OpenMetrics 1.0, `normal-char` and `escaped-char`; the older format escapes label values in the same way. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
