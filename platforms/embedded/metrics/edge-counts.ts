// Counts the edge's requests and handshakes in plain numbers.

import { performance } from 'node:perf_hooks';
import { EDGE_OUTCOMES, type EdgeObserver, HANDSHAKE_FAILURES } from '../../../adapters/edge/visits.ts';
import type { ConnectionLimit } from '../../../core/limits/connections.ts';
import type { Cell, Registry } from '../../../core/metrics/registry.ts';
import { FAMILIES } from './families.ts';

/** Creates the counter of a listener's refused connections, by the limit that was reached. */
export function countRefusedConnections(registry: Registry, listener: 'api' | 'edge'): (limit: ConnectionLimit) => void {
  const cells = {
    total: registry.cell(FAMILIES.refusedConnections, listener, 'total'),
    perAddress: registry.cell(FAMILIES.refusedConnections, listener, 'address'),
  };
  return (limit) => {
    cells[limit].value += 1;
  };
}

/** Creates the counters. @param stopwatch milliseconds since an arbitrary moment; never goes back */
export function countEdge(registry: Registry, stopwatch: () => number = () => performance.now()): EdgeObserver {
  const inProgress = registry.cell(FAMILIES.edgeInProgress);
  const bytesSent = registry.cell(FAMILIES.edgeBytes);
  const duration = registry.histogram(FAMILIES.edgeDurations);
  const requests = new Map(EDGE_OUTCOMES.map((outcome) => [outcome, new Map<number, Cell>()]));
  const failures = new Map(HANDSHAKE_FAILURES.map((reason) => [reason, registry.cell(FAMILIES.handshakeFailures, reason)]));

  function countRequest(outcome: (typeof EDGE_OUTCOMES)[number], status: number): void {
    const byStatus = requests.get(outcome);
    const cell = byStatus?.get(status) ?? registry.cell(FAMILIES.edgeRequests, outcome, String(status));
    byStatus?.set(status, cell);
    cell.value += 1;
  }

  return {
    begun: () => {
      inProgress.value += 1;
      return stopwatch();
    },
    ended: (began, outcome, status, bytes) => {
      inProgress.value -= 1;
      bytesSent.value += bytes;
      duration.observe((stopwatch() - began) / 1_000);
      countRequest(outcome, status);
    },
    handshake: (protocol, isResumed) => {
      registry.cell(FAMILIES.handshakes, protocol, String(isResumed)).value += 1;
    },
    connectionRefused: countRefusedConnections(registry, 'edge'),
    handshakeFailed: (reason) => {
      const cell = failures.get(reason);
      if (cell !== undefined) cell.value += 1;
    },
  };
}
