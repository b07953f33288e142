// The metrics of one server in one table, for export, documentation and alerts. Names are a contract with dashboards and alerts elsewhere.

import type { Family, FamilyKind, Registry } from '../../../core/metrics/registry.ts';

/** Bucket bounds in seconds, from responses out of memory up to the service's own time limits. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Bounds in seconds: a minor collection takes a millisecond, a major one up to a few hundred. */
const GC_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** Describes a family, whose name ends with its unit, if it has one. */
function family<Kind extends FamilyKind>(kind: Kind) {
  return <Name extends string>(name: Name, help: string, labels?: readonly string[], bounds?: readonly number[]) => ({
    name,
    kind,
    help,
    ...(/_(?:seconds|bytes)$/.test(name) && { unit: name.endsWith('_bytes') ? ('bytes' as const) : ('seconds' as const) }),
    ...(labels && { labels }),
    ...(bounds && { bounds }),
  });
}

const [counter, gauge, histogram] = [family('counter'), family('gauge'), family('histogram')];
const lag = <Of extends string>(of: Of, what: string) =>
  gauge(`nodejs_eventloop_lag_${of}_seconds` as const, `${what} delay of the event loop since the last collection.`);

export const FAMILIES = {
  build: family('info')('petstore_build', 'Version of the service and of Node.', ['version', 'node']),

  requests: counter(
    'petstore_http_requests',
    'Requests that were answered, except those to the edge. If a request matches no operation, the operation label says why.',
    ['api', 'operation', 'status'],
  ),
  refusals: counter('petstore_http_refusals', 'Requests to the catalogue and control APIs that were refused, and faults, by error code.', [
    'api',
    'code',
  ]),
  durations: histogram(
    'petstore_http_request_duration_seconds',
    'Time from the complete request to its response.',
    ['api', 'operation'],
    DURATION_BOUNDS,
  ),
  inProgress: gauge('petstore_http_requests_in_progress', 'Requests that are being processed.', ['api']),
  refusedConnections: counter(
    'petstore_refused_connections',
    "Connections that were closed at once, by the limit that was reached: total (the listener's limit) or address (the limit per client address). The listener is api or edge.",
    ['listener', 'limit'],
  ),

  edgeRequests: counter(
    'petstore_edge_requests',
    "Requests to custom domains and to projects' own addresses that were answered. The outcome is site, redirect, challenge, not_served, invalid or fault.",
    ['outcome', 'status'],
  ),
  edgeBytes: counter('petstore_edge_sent_bytes', 'Bytes of responses from the edge, including headers, before encryption.'),
  edgeDurations: histogram(
    'petstore_edge_request_duration_seconds',
    "Time from when the edge has received a request's headers until its response has ended, which depends on the visitor, too.",
    undefined,
    DURATION_BOUNDS,
  ),
  edgeInProgress: gauge('petstore_edge_requests_in_progress', 'Requests to the edge that are being answered.'),
  handshakes: counter('petstore_edge_tls_handshakes', 'Completed TLS handshakes.', ['protocol', 'resumed']),
  handshakeFailures: counter(
    'petstore_edge_tls_handshake_failures',
    'Failed TLS handshakes. The reason is unknown_host, timeout, disconnected, protocol or other.',
    ['reason'],
  ),

  ready: gauge('petstore_ready', 'Whether all checks of /readyz pass: 1 or 0.'),
  checks: gauge('petstore_readiness_check', 'The state of each check of /readyz: 1 for the current state.', ['check', 'state']),

  databaseBytes: gauge('petstore_database_size_bytes', 'Size of the database file.'),
  walBytes: gauge('petstore_database_wal_size_bytes', 'Size of the database write-ahead log.'),
  freeBytes: gauge('petstore_data_folder_free_bytes', 'Free space on the disk with the data folder.'),
  diskBytes: gauge('petstore_data_folder_disk_size_bytes', 'Size of the disk with the data folder.'),
  domains: gauge('petstore_domains', 'Custom domains by state.', ['state']),
  certificates: gauge('petstore_certificates', 'Certificates that domains are served with, by the number of days until they expire.', ['days_left']),
  firstExpiry: gauge(
    'petstore_certificate_first_expiry_timestamp_seconds',
    "When the next certificate, for a domain or for the service's own name, expires. No value without certificates.",
  ),
  queued: gauge('petstore_queue_due_items', 'Items of a queue that are due.', ['queue']),
  lateness: gauge('petstore_queue_lateness_seconds', 'For how long the oldest due item of a queue has been due; 0 if none is.', ['queue']),
  planRequests: gauge('petstore_plan_requests', 'Open requests for another plan, which wait for the operator.'),
  lastBackup: gauge('petstore_last_backup_timestamp_seconds', 'When the last backup was completed. No value if none has been made.'),
  collectionErrors: counter('petstore_metrics_collection_errors', 'How often a part of the metrics could not be read, and was left out.', ['part']),

  cpu: counter('process_cpu_seconds', 'User and system CPU time.'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory.'),
  startTime: gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.'),
  openDescriptors: gauge('process_open_fds', 'Open file descriptors: files and connections. Only on Linux.'),
  maxDescriptors: gauge('process_max_fds', 'Highest allowed number of open file descriptors. Only on Linux.'),
  heapTotal: gauge('nodejs_heap_size_total_bytes', 'Size of the heap.'),
  heapUsed: gauge('nodejs_heap_size_used_bytes', 'Used part of the heap.'),
  external: gauge('nodejs_external_memory_bytes', 'Memory outside of the heap that belongs to objects in it.'),
  gc: histogram('nodejs_gc_duration_seconds', 'Pauses for garbage collection. The kind is minor, major, incremental or weakcb.', ['kind'], GC_BOUNDS),
  lagMean: lag('mean', 'Mean'),
  lagMax: lag('max', 'Longest'),
  lagP50: lag('p50', 'Median'),
  lagP90: lag('p90', '90th percentile of the'),
  lagP99: lag('p99', '99th percentile of the'),
} satisfies Readonly<Record<string, Family>>;

// Values that are read when metrics are requested, rather than counted as events happen.

/** Metrics that are read together, and are all left out if reading them fails. */
export interface Part {
  readonly name: string;
  /** The families that the part sets. */
  readonly families: readonly Family[];
  /** Sets the values. Faults that it throws are counted. */
  readonly collect: (registry: Registry) => Promise<void> | void;
}

/** How long values are reused, in milliseconds, however many scrapers there are. */
const FRESH_MS = 5_000;

/** Creates a function that reads all parts, at most once every 5 s. @param clock milliseconds since 1970 */
export function createCollection(registry: Registry, parts: readonly Part[], clock: () => number): () => Promise<void> {
  let latest: { readonly at: number; readonly done: Promise<unknown> } | undefined;
  for (const { name } of parts) registry.cell(FAMILIES.collectionErrors, name);

  async function collect({ name, families, collect: read }: Part): Promise<void> {
    // A series that no longer exists, such as a state without domains, must not keep its last value.
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
    // `abs`, because otherwise old values would be kept after the clock is set back.
    if (latest === undefined || Math.abs(now - latest.at) >= FRESH_MS) latest = { at: now, done: Promise.all(parts.map(collect)) };
    await latest.done;
  };
}
