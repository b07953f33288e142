// What a metric is, in the terms of OpenMetrics 1.0: a family has a name, a kind and labels, and one series for each combination of their values.

/** `gauge` can go down; `info` is always 1, and its labels are what it says. */
export type FamilyKind = 'counter' | 'gauge' | 'histogram' | 'info';

export interface Family<Label extends string = string> {
  /** Without the suffix that its kind adds. Ends with the unit, if there is one. */
  readonly name: string;
  readonly kind: FamilyKind;
  /** One sentence. */
  readonly help: string;
  /** A base unit. @default none */
  readonly unit?: 'seconds' | 'bytes';
  /** Labels with few values: no paths, hosts, keys or accounts. @default none */
  readonly labels?: readonly Label[];
  /** Upper bounds of a histogram's buckets, ascending, in its unit. Without infinity, which every histogram has. */
  readonly bounds?: readonly number[];
}

/** Returns the names of a family's series, as queries use them. */
export function seriesNames({ name, kind }: Pick<Family, 'name' | 'kind'>): readonly string[] {
  switch (kind) {
    case 'counter':
      return [`${name}_total`];
    case 'info':
      return [`${name}_info`];
    case 'histogram':
      return [`${name}_bucket`, `${name}_count`, `${name}_sum`];
    case 'gauge':
      return [name];
  }
}
