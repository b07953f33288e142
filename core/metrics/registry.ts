// The values of metrics, in memory. Counting code keeps a reference to a series's cell, so counting is one addition.

/** The value of a counter, a gauge or an info. Counters only grow. */
export interface Cell {
  value: number;
}

export interface Histogram {
  /** Counts by bucket, each without the counts of the buckets below; the last bucket has no upper bound. */
  readonly counts: Float64Array;
  sum: number;
  /** Adds a value, in the family's unit. */
  observe(value: number): void;
}

/** A series: the values of its family's labels, and its own value. */
export interface Series<Value> {
  readonly labels: readonly string[];
  readonly value: Value;
}

/** A family with all its series; of the two lists, one is empty. */
export interface FamilyValues {
  readonly family: Family;
  readonly cells: readonly Series<Cell>[];
  readonly histograms: readonly Series<Histogram>[];
}

export interface Registry {
  /** Returns the cell of a series, and creates the series if necessary. @throws RangeError for a wrong number of labels, or for a histogram */
  cell(family: Family, ...labels: readonly string[]): Cell;
  /** Like `cell`, for a histogram. @throws RangeError for a wrong number of labels, or for another kind */
  histogram(family: Family, ...labels: readonly string[]): Histogram;
  /** Removes all series of families whose values are no longer known. */
  forget(families: readonly Family[]): void;
  /** Returns all families with their series, in the order of their first use. */
  values(): readonly FamilyValues[];
}

/** No label value contains it. */
const SEPARATOR = '\u0000';

interface Entry {
  readonly family: Family;
  readonly cells: Map<string, Series<Cell>>;
  readonly histograms: Map<string, Series<Histogram>>;
}

/** Creates an empty registry. */
export function createRegistry(): Registry {
  const entries = new Map<string, Entry>();

  function entryOf(family: Family, labels: readonly string[]): Entry {
    if (labels.length !== (family.labels?.length ?? 0)) throw new RangeError(`${family.name}: got ${labels.length} labels`);
    const known = entries.get(family.name);
    if (known !== undefined) return known;
    const entry: Entry = { family, cells: new Map(), histograms: new Map() };
    entries.set(family.name, entry);
    return entry;
  }

  function seriesOf<Value>(all: Map<string, Series<Value>>, labels: readonly string[], make: () => Value): Value {
    const key = labels.join(SEPARATOR);
    const known = all.get(key);
    if (known !== undefined) return known.value;
    const value = make();
    all.set(key, { labels, value });
    return value;
  }

  return {
    cell: (family, ...labels) => {
      if (family.kind === 'histogram') throw new RangeError(`${family.name} is a histogram`);
      return seriesOf(entryOf(family, labels).cells, labels, () => ({ value: 0 }));
    },
    histogram: (family, ...labels) => {
      const { bounds } = family;
      if (family.kind !== 'histogram' || bounds === undefined) throw new RangeError(`${family.name} is not a histogram`);
      return seriesOf(entryOf(family, labels).histograms, labels, () => createHistogram(bounds));
    },
    forget: (families) => {
      for (const { name } of families) entries.delete(name);
    },
    values: () =>
      [...entries.values()].map(({ family, cells, histograms }) => ({ family, cells: [...cells.values()], histograms: [...histograms.values()] })),
  };
}

function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  const histogram: Histogram = {
    counts,
    sum: 0,
    observe: (value) => {
      let bucket = 0;
      // Most values are in the first few buckets, so this is faster than a binary search.
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
      counts[bucket] = (counts[bucket] as number) + 1;
      histogram.sum += value;
    },
  };
  return histogram;
}

// What a metric is, in the terms of OpenMetrics 1.0: a family has a name, a kind and labels, and one series for each combination of their values.

/** `gauge` can go down; `info` is always 1, and its labels carry the information. */
export type FamilyKind = 'counter' | 'gauge' | 'histogram' | 'info';

export interface Family<Label extends string = string> {
  /** The name without the suffix that its kind adds. Ends with the unit, if there is one. */
  readonly name: string;
  readonly kind: FamilyKind;
  /** What the metric counts or measures, in one sentence. */
  readonly help: string;
  /** A base unit. @default none */
  readonly unit?: 'seconds' | 'bytes';
  /** Labels, which must have few values: no paths, hosts, keys or accounts. @default none */
  readonly labels?: readonly Label[];
  /** Upper bounds of a histogram's buckets, ascending, in its unit. Without infinity, which is added to every histogram. */
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
