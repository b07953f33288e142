// Node's information about the process, under the names that Prometheus's client libraries use.

import { readdir, readFile } from 'node:fs/promises';
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import type { Registry } from '../../../core/metrics/registry.ts';
import { FAMILIES, type Part } from './families.ts';

const MICROSECONDS = 1e-6;
const NANOSECONDS = 1e-9;
/** Interval between samples of the event loop's delay, in milliseconds. */
const RESOLUTION_MS = 10;
const PERCENTILES = [
  [FAMILIES.lagP50, 50],
  [FAMILIES.lagP90, 90],
  [FAMILIES.lagP99, 99],
] as const;

/** Creates the part with CPU time, memory and descriptors. */
export function processPart(): Part {
  return {
    name: 'process',
    families: [
      ...[FAMILIES.cpu, FAMILIES.memory, FAMILIES.startTime, FAMILIES.heapTotal, FAMILIES.heapUsed, FAMILIES.external],
      ...[FAMILIES.openDescriptors, FAMILIES.maxDescriptors],
    ],
    collect: async (registry) => {
      const { user, system } = process.cpuUsage();
      registry.cell(FAMILIES.cpu).value = (user + system) * MICROSECONDS;
      const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
      registry.cell(FAMILIES.memory).value = rss;
      registry.cell(FAMILIES.heapTotal).value = heapTotal;
      registry.cell(FAMILIES.heapUsed).value = heapUsed;
      registry.cell(FAMILIES.external).value = external;
      registry.cell(FAMILIES.startTime).value = performance.timeOrigin / 1_000;
      const descriptors = await descriptorsOnLinux();
      if (descriptors === undefined) return;
      registry.cell(FAMILIES.openDescriptors).value = descriptors.open;
      registry.cell(FAMILIES.maxDescriptors).value = descriptors.most;
    },
  };
}

async function descriptorsOnLinux(): Promise<{ readonly open: number; readonly most: number } | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  // One descriptor is open only to read the list.
  return { open: open.length - 1, most: most === undefined ? Number.POSITIVE_INFINITY : Number(most) };
}

/** Starts measuring the event loop's delay. Each read covers the time since the previous read. @returns the part, and a function that stops this */
export function startLagPart(): { readonly part: Part; readonly stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // The measured delay includes the interval itself.
  const seconds = (nanoseconds: number) => Math.max(0, (nanoseconds - RESOLUTION_MS * 1e6) * NANOSECONDS);
  return {
    part: {
      name: 'event_loop',
      families: [FAMILIES.lagMean, FAMILIES.lagMax, ...PERCENTILES.map(([family]) => family)],
      collect: (registry) => {
        if (delay.count === 0) return;
        registry.cell(FAMILIES.lagMean).value = seconds(delay.mean);
        registry.cell(FAMILIES.lagMax).value = seconds(delay.max);
        for (const [family, percentile] of PERCENTILES) registry.cell(family).value = seconds(delay.percentile(percentile));
        delay.reset();
      },
    },
    stop: () => void delay.disable(),
  };
}

/** Keyed by Node's constants `NODE_PERFORMANCE_GC_…`. */
const GC_KINDS: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' };

interface CollectionEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}

/** Counts garbage collections from now on. @returns a function that stops counting */
export function countCollections(registry: Registry): () => void {
  const histograms = new Map(Object.entries(GC_KINDS).map(([kind, label]) => [Number(kind), registry.histogram(FAMILIES.gc, label)]));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as readonly CollectionEntry[]) histograms.get(entry.detail?.kind ?? 0)?.observe(entry.duration / 1_000);
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
