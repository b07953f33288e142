// What is counted of requests, by API and at the edge, with a stopwatch that the test sets.

import { expect, test } from 'vitest';
import { createRegistry, type Registry } from '../../core/metrics/registry.ts';
import { countRequests } from '../../local/metrics/request-counts.ts';
import { countEdge } from '../../platforms/embedded/metrics/edge-counts.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';

/** All series of a family, by their labels. */
function cellsOf(registry: Registry, { name }: { readonly name: string }): Readonly<Record<string, number>> {
  const cells = registry.values().find(({ family }) => family.name === name)?.cells ?? [];
  return Object.fromEntries(cells.map(({ labels, value }) => [labels.join(' '), value.value]));
}

test('requests of an API: in progress, and then by operation and status, with their time', () => {
  const registry = createRegistry();
  let now = 1_000;
  const observer = countRequests(registry, 'catalogue', () => now);
  const first = observer.begun();
  const second = observer.begun();
  expect(cellsOf(registry, FAMILIES.inProgress)).toEqual({ catalogue: 2 });
  now += 30;
  observer.ended(first, 'getPet', 200, undefined);
  now += 70;
  observer.ended(second, 'getPet', 404, 'not_found');
  observer.ended(observer.begun(), 'getPet', 200, undefined);
  expect(cellsOf(registry, FAMILIES.inProgress)).toEqual({ catalogue: 0 });
  expect(cellsOf(registry, FAMILIES.requests)).toEqual({ 'catalogue getPet 200': 2, 'catalogue getPet 404': 1 });
  expect(cellsOf(registry, FAMILIES.refusals)).toEqual({ 'catalogue not_found': 1 });
  const { sum, counts } = registry.histogram(FAMILIES.durations, 'catalogue', 'getPet');
  expect(sum).toBeCloseTo(0.13);
  // Up to 0.5 ms, 50 ms and 100 ms.
  expect([...counts]).toEqual([1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
});

test('requests and handshakes of the edge', () => {
  const registry = createRegistry();
  let now = 0;
  const observer = countEdge(registry, () => now);
  const began = observer.begun();
  expect(cellsOf(registry, FAMILIES.edgeInProgress)).toEqual({ '': 1 });
  now += 20_000;
  observer.ended(began, 'site', 200, 1_000);
  observer.ended(observer.begun(), 'site', 404, 24);
  observer.ended(observer.begun(), 'fault', 500, 0);
  observer.handshake('TLSv1.3', false);
  observer.handshake('TLSv1.3', false);
  observer.handshake('TLSv1.2', true);
  observer.handshakeFailed('timeout');
  expect(cellsOf(registry, FAMILIES.edgeInProgress)).toEqual({ '': 0 });
  expect(cellsOf(registry, FAMILIES.edgeRequests)).toEqual({ 'site 200': 1, 'site 404': 1, 'fault 500': 1 });
  expect(cellsOf(registry, FAMILIES.edgeBytes)).toEqual({ '': 1_024 });
  expect(cellsOf(registry, FAMILIES.handshakes)).toEqual({ 'TLSv1.3 false': 2, 'TLSv1.2 true': 1 });
  expect(cellsOf(registry, FAMILIES.handshakeFailures)).toEqual({ unknown_host: 0, timeout: 1, disconnected: 0, protocol: 0, other: 0 });
  // Longer than all bounds.
  expect(registry.histogram(FAMILIES.edgeDurations).counts.at(-1)).toBe(1);
});
