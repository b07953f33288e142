// The metrics of one server, in one table: what is exported, documented and used in alerts. Names are a contract with dashboards and alerts elsewhere.

import type { Family, Registry } from '../../../core/metrics/registry.ts';

/** From answers out of memory to the service's own time limits, in seconds. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A minor collection takes a millisecond, a major one up to some hundred, in seconds. */
const GC_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

const lag = (what: string) => ({ kind: 'gauge', unit: 'seconds', help: `${what} delay of the event loop since the last look.` }) as const;

export const FAMILIES = {
  build: { name: 'petstore_build', kind: 'info', help: 'Version of the service and of Node.', labels: ['version', 'node'] },

  requests: {
    name: 'petstore_http_requests',
    kind: 'counter',
    help: 'Requests that were answered, except those of the edge. The operation of a request without one is why there is none.',
    labels: ['api', 'operation', 'status'],
  },
  refusals: {
    name: 'petstore_http_refusals',
    kind: 'counter',
    help: 'Requests to the catalogue and control APIs that were refused, and faults, by error code.',
    labels: ['api', 'code'],
  },
  durations: {
    name: 'petstore_http_request_duration_seconds',
    kind: 'histogram',
    unit: 'seconds',
    help: 'Time from the complete request to its response.',
    labels: ['api', 'operation'],
    bounds: DURATION_BOUNDS,
  },
  inProgress: { name: 'petstore_http_requests_in_progress', kind: 'gauge', help: 'Requests that are being processed.', labels: ['api'] },
  refusedConnections: {
    name: 'petstore_refused_connections',
    kind: 'counter',
    help: "Connections that were closed at once, by the limit that was reached: total, of the listener, or address, of the client's address. The listener is api or edge.",
    labels: ['listener', 'limit'],
  },

  edgeRequests: {
    name: 'petstore_edge_requests',
    kind: 'counter',
    help: 'Requests to custom domains and own addresses that were answered. The outcome is site, redirect, challenge, not_served, invalid or fault.',
    labels: ['outcome', 'status'],
  },
  edgeBytes: {
    name: 'petstore_edge_sent_bytes',
    kind: 'counter',
    unit: 'bytes',
    help: 'Responses of the edge, with their headers, before encryption.',
  },
  edgeDurations: {
    name: 'petstore_edge_request_duration_seconds',
    kind: 'histogram',
    unit: 'seconds',
    help: 'Time from the headers of a request to the edge until its response has ended, which depends on the visitor, too.',
    bounds: DURATION_BOUNDS,
  },
  edgeInProgress: { name: 'petstore_edge_requests_in_progress', kind: 'gauge', help: 'Requests to the edge that are being answered.' },
  handshakes: { name: 'petstore_edge_tls_handshakes', kind: 'counter', help: 'Completed TLS handshakes.', labels: ['protocol', 'resumed'] },
  handshakeFailures: {
    name: 'petstore_edge_tls_handshake_failures',
    kind: 'counter',
    help: 'Failed TLS handshakes. The reason is unknown_host, timeout, disconnected, protocol or other.',
    labels: ['reason'],
  },

  ready: { name: 'petstore_ready', kind: 'gauge', help: 'Whether all checks of /readyz pass: 1 or 0.' },
  checks: {
    name: 'petstore_readiness_check',
    kind: 'gauge',
    help: 'The state of each check of /readyz: 1 for the one it has.',
    labels: ['check', 'state'],
  },

  databaseBytes: { name: 'petstore_database_size_bytes', kind: 'gauge', unit: 'bytes', help: 'Size of the database file.' },
  walBytes: { name: 'petstore_database_wal_size_bytes', kind: 'gauge', unit: 'bytes', help: 'Size of the write-ahead log of the database.' },
  freeBytes: { name: 'petstore_data_folder_free_bytes', kind: 'gauge', unit: 'bytes', help: 'Free space of the disk with the data folder.' },
  diskBytes: { name: 'petstore_data_folder_disk_size_bytes', kind: 'gauge', unit: 'bytes', help: 'Size of the disk with the data folder.' },
  domains: { name: 'petstore_domains', kind: 'gauge', help: 'Custom domains by state.', labels: ['state'] },
  certificates: {
    name: 'petstore_certificates',
    kind: 'gauge',
    help: 'Certificates that domains are served with, by the days that they are still valid.',
    labels: ['days_left'],
  },
  firstExpiry: {
    name: 'petstore_certificate_first_expiry_timestamp_seconds',
    kind: 'gauge',
    unit: 'seconds',
    help: 'When the first of these certificates and the one of the own name expires. No value without certificates.',
  },
  queued: { name: 'petstore_queue_due_items', kind: 'gauge', help: 'Items of a queue that are due.', labels: ['queue'] },
  lateness: {
    name: 'petstore_queue_lateness_seconds',
    kind: 'gauge',
    unit: 'seconds',
    help: 'For how long the oldest due item of a queue has been due; 0 if none is.',
    labels: ['queue'],
  },
  planRequests: { name: 'petstore_plan_requests', kind: 'gauge', help: 'Open requests for another plan, which wait for the operator.' },
  lastBackup: {
    name: 'petstore_last_backup_timestamp_seconds',
    kind: 'gauge',
    unit: 'seconds',
    help: 'When the last backup was completed. No value if none has been made.',
  },
  collectionErrors: {
    name: 'petstore_metrics_collection_errors',
    kind: 'counter',
    help: 'How often a part of the metrics could not be read, and was left out.',
    labels: ['part'],
  },

  cpu: { name: 'process_cpu_seconds', kind: 'counter', unit: 'seconds', help: 'User and system CPU time.' },
  memory: { name: 'process_resident_memory_bytes', kind: 'gauge', unit: 'bytes', help: 'Resident memory.' },
  startTime: { name: 'process_start_time_seconds', kind: 'gauge', unit: 'seconds', help: 'When the process started, in seconds since 1970.' },
  openDescriptors: { name: 'process_open_fds', kind: 'gauge', help: 'Open file descriptors: files and connections. Only on Linux.' },
  maxDescriptors: { name: 'process_max_fds', kind: 'gauge', help: 'Highest allowed number of open file descriptors. Only on Linux.' },
  heapTotal: { name: 'nodejs_heap_size_total_bytes', kind: 'gauge', unit: 'bytes', help: 'Size of the heap.' },
  heapUsed: { name: 'nodejs_heap_size_used_bytes', kind: 'gauge', unit: 'bytes', help: 'Used part of the heap.' },
  external: { name: 'nodejs_external_memory_bytes', kind: 'gauge', unit: 'bytes', help: 'Memory outside of the heap that belongs to objects in it.' },
  gc: {
    name: 'nodejs_gc_duration_seconds',
    kind: 'histogram',
    unit: 'seconds',
    help: 'Pauses for garbage collection. The kind is minor, major, incremental or weakcb.',
    labels: ['kind'],
    bounds: GC_BOUNDS,
  },
  lagMean: { name: 'nodejs_eventloop_lag_mean_seconds', ...lag('Mean') },
  lagMax: { name: 'nodejs_eventloop_lag_max_seconds', ...lag('Longest') },
  lagP50: { name: 'nodejs_eventloop_lag_p50_seconds', ...lag('Median') },
  lagP90: { name: 'nodejs_eventloop_lag_p90_seconds', ...lag('90th percentile of the') },
  lagP99: { name: 'nodejs_eventloop_lag_p99_seconds', ...lag('99th percentile of the') },
} as const satisfies Readonly<Record<string, Family>>;

// Values that are read when someone asks for the metrics, and not counted as things happen.

/** Metrics that are read together, and are all left out if they can't be read. */
export interface Part {
  readonly name: string;
  /** What it sets. */
  readonly families: readonly Family[];
  /** Sets the values. What it throws is counted. */
  readonly collect: (registry: Registry) => Promise<void> | void;
}

/** How long values are used again, in milliseconds, however many scrapers ask. */
const FRESH_MS = 5_000;

/** Creates a function that reads all parts, at most once in 5 s. @param clock milliseconds since 1970 */
export function createCollection(registry: Registry, parts: readonly Part[], clock: () => number): () => Promise<void> {
  let latest: { readonly at: number; readonly done: Promise<unknown> } | undefined;
  for (const { name } of parts) registry.cell(FAMILIES.collectionErrors, name);

  async function collect({ name, families, collect: read }: Part): Promise<void> {
    // A series that is no longer there, such as a state without domains, must not keep its last value.
    registry.forget(families);
    try {
      await read(registry);
    } catch {
      registry.forget(families);
      registry.cell(FAMILIES.collectionErrors, name).value += 1;
    }
  }

  return async () => {
    const now = clock();
    // A clock that is set back must not keep old values.
    if (latest === undefined || Math.abs(now - latest.at) >= FRESH_MS) latest = { at: now, done: Promise.all(parts.map(collect)) };
    await latest.done;
  };
}
