// Measurements on a noisy machine: candidates take turns, round by round, and only ratios within one run are compared.

import { readdirSync, readFileSync } from 'node:fs';

/** Whether each section runs with the smallest load, for its exit code alone: `npm run bench -- --smallest`. */
export const IS_SMALLEST = process.argv.includes('--smallest');

/** Returns the load of a measurement. @param smallest just enough to show that the section still works */
export function sized<Load>(load: Load, smallest: Load): Load {
  return IS_SMALLEST ? smallest : load;
}

/** Interval at which autocannon checks whether its time is up, in milliseconds; also the duration of its shortest load. */
export const SAMPLE_MS = sized(1_000, 50);

export interface Candidate {
  readonly name: string;
  /** Runs one round. @returns its result */
  run(): Promise<number> | number;
}

export interface Result {
  readonly name: string;
  readonly median: number;
  readonly rounds: readonly number[];
}

/** Runs every candidate once per round, in alternating order, and takes medians. */
export async function alternate(candidates: readonly Candidate[], rounds: number): Promise<readonly Result[]> {
  const figures = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? candidates : candidates.toReversed();
    for (const candidate of order) figures.get(candidate.name)?.push(await candidate.run());
  }
  return candidates.map(({ name }) => ({ name, median: median(figures.get(name) ?? []), rounds: figures.get(name) ?? [] }));
}

/** Returns the median of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Compares two candidates: the median of their ratios per round, so that the machine's drift cancels out. */
export function ratio(of: Result | undefined, to: Result | undefined): number {
  return median((of?.rounds ?? []).map((figure, round) => figure / (to?.rounds[round] ?? Number.NaN)));
}

/** Prints results as a table, each also relative to the first. */
export function report(title: string, unit: string, results: readonly Result[]): void {
  console.log(`\n## ${title}\n\n| | ${unit}, median | compared with ${results[0]?.name} | rounds |\n|---|---:|---:|---|`);
  for (const result of results) {
    const { name, median: figure, rounds } = result;
    console.log(
      `| ${name} | ${figure.toFixed(1)} | ${ratio(result, results[0]).toFixed(3)} | ${rounds.map((value) => value.toFixed(1)).join(' ')} |`,
    );
  }
}

/** Prints a performance target and whether this run reached it. */
export function bar(what: string, figure: number, direction: 'at least' | 'at most', wanted: number): void {
  // The smallest load measures nothing.
  if (IS_SMALLEST) return;
  const reached = direction === 'at least' ? figure >= wanted : figure <= wanted;
  console.log(`${reached ? 'reached    ' : 'NOT REACHED'} ${what}: ${figure.toFixed(3)}, ${direction} ${wanted}`);
}

/** CPU time of a process with all its threads, in milliseconds (proc(5), schedstat). */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0);
}
