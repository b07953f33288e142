// The names of the service's own metrics, for the code that counts and for the alarms that watch.

import type { AnyErrorCode } from './http/errors.ts';

/** The CloudWatch namespace; the dimension `service` tells the stages apart. */
export const METRICS_NAMESPACE = 'Petstore';

/** One metric a kind of refusal: an alarm names the one that it watches. */
export function refusedMetric(code: AnyErrorCode): string {
  return `Refused_${code}`;
}

/** Certificates that an authority refused. */
export const CERTIFICATE_FAILED = 'CertificateFailed';
/** Domains that nobody has moved for an hour after their time. */
export const DOMAINS_STUCK = 'DomainsStuck';
/** Live domains whose certificate should long have been renewed. */
export const RENEWALS_OVERDUE = 'RenewalsOverdue';
/** Tenants of the distribution, each with a certificate. */
export const EDGE_TENANTS = 'EdgeTenants';
