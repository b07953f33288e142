// Counts requests in plain numbers. The series for an operation and a status is looked up by name only once.

import { performance } from 'node:perf_hooks';
import type { Cell, Histogram, Registry } from '../../core/metrics/registry.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';
import type { RequestObserver } from '../../service/http/observe.ts';

interface Operation {
  readonly duration: Histogram;
  /** Requests by status. */
  readonly requests: Map<number, Cell>;
}

/** Creates an API's counters. @param api a name such as `catalogue` @param stopwatch milliseconds since an arbitrary moment; never goes back */
export function countRequests(registry: Registry, api: string, stopwatch: () => number = () => performance.now()): RequestObserver {
  const inProgress = registry.cell(FAMILIES.inProgress, api);
  const operations = new Map<string, Operation>();
  const refusals = new Map<string, Cell>();

  function operationOf(name: string): Operation {
    const operation = { duration: registry.histogram(FAMILIES.durations, api, name), requests: new Map() };
    operations.set(name, operation);
    return operation;
  }

  return {
    begun: () => {
      inProgress.value += 1;
      return stopwatch();
    },
    ended: (began, name, status, code) => {
      inProgress.value -= 1;
      const operation = operations.get(name) ?? operationOf(name);
      operation.duration.observe((stopwatch() - began) / 1_000);
      cellIn(operation.requests, status, () => registry.cell(FAMILIES.requests, api, name, String(status))).value += 1;
      if (code !== undefined) cellIn(refusals, code, () => registry.cell(FAMILIES.refusals, api, code)).value += 1;
    },
  };
}

/** Returns the cell, which is looked up on first use. */
export function cellIn<Key>(known: Map<Key, Cell>, key: Key, find: () => Cell): Cell {
  const cell = known.get(key) ?? find();
  known.set(key, cell);
  return cell;
}
