// Names of the service's own metrics, for the code that records them and the alarms that watch them.

import type { AnyErrorCode } from './http/errors.ts';

/** The CloudWatch namespace; the dimension `service` distinguishes the stages. */
export const METRICS_NAMESPACE = 'Petstore';

/** Returns the metric for a kind of refusal. Each kind has its own metric, so that an alarm can watch a single kind. */
export function refusedMetric(code: AnyErrorCode): string {
  return `Refused_${code}`;
}

/** Domains whose attempts to get a certificate have begun to fail. */
export const CERTIFICATE_FAILED = 'CertificateFailed';
/** Domains that are more than an hour overdue for a check. */
export const DOMAINS_STUCK = 'DomainsStuck';
/** Live domains whose certificate is long overdue for renewal. */
export const RENEWALS_OVERDUE = 'RenewalsOverdue';
/** Distribution tenants, each with a certificate. */
export const EDGE_TENANTS = 'EdgeTenants';
/** Responses to the probe that were not as documented. */
export const PROBE_FAILED = 'ProbeFailed';
/** Hours since the last complete edge sweep began; recorded only once the next one is late. */
export const EDGE_SWEEP_AGE = 'EdgeSweepAge';
/** Changed projects that could not be republished; recorded only for hours with at least one. */
export const PUBLICATIONS_FAILED = 'PublicationsFailed';
/** Bytes in the edge map. */
export const EDGE_MAP_BYTES = 'EdgeMapBytes';
/** Messages to owners that were permanently rejected, and notifications that were dropped. */
export const NOTIFICATIONS_LOST = 'NotificationsLost';
