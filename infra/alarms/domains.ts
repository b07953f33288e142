// Alarms for custom domains: their workflow and sweep, and the function for missing pages. Alarms on CloudFront's own metrics are in edge.ts.

import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import {
  CERTIFICATE_FAILED,
  DOMAINS_STUCK,
  EDGE_MAP_BYTES,
  EDGE_SWEEP_AGE,
  EDGE_TENANTS,
  PUBLICATIONS_FAILED,
  RENEWALS_OVERDUE,
} from '../../service/metric-names.ts';
import { domainMetric, sumOf } from '../constructs/api-metrics.ts';
import type { DomainWorkflow } from '../constructs/domain-workflow.ts';
import type { SiteEdge } from '../constructs/edge/site-edge.ts';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';

/** Per hour. */
const CERTIFICATES_FAILED = 10;
/** Each tenant has a certificate, and ACM's quota is lower than CloudFront's (10,000 tenants). An increase takes days. */
const CERTIFICATES_QUOTA = 2_500;
const CERTIFICATES_WARNING = 2_000;
/** CloudFront's quota for an AWS account, which is the limit once ACM's quota is raised. */
const TENANTS_QUOTA = 10_000;
const TENANTS_WARNING = 8_000;
/** CloudFront's maximum for a KeyValueStore (Developer Guide, "Quotas"), which can't be raised. */
const MAP_QUOTA_MB = 5;
const MAP_WARNING_MB = 4;
/** Per fifteen minutes. One domain whose step always fails causes 18: seven attempts, then a pause of five minutes. */
const STEP_ERRORS = 25;
/** Per fifteen minutes, in which there are three sweeps of domains. A sweep of the edge that always fails is overdue after two days. */
const SWEEP_ERRORS = 1;
const HANDLER_ERRORS = 2;
/** Hours after which a sweep of the edge is overdue; it begins once a day. */
const EDGE_SWEEP_HOURS = 48;
/** Per five minutes. A throttled transition is late, not lost. */
const THROTTLED_TRANSITIONS = 100;

/** Returns the alarms for custom domains. */
export function domainAlarms(stage: StageName, { workflow, steps, sweep }: DomainWorkflow, edge: SiteEdge): AlarmDefinition[] {
  const [minute, five, quarter, hour, day] = [Duration.minutes(1), Duration.minutes(5), Duration.minutes(15), Duration.hours(1), Duration.days(1)];
  const failover = edge.failover.function;
  const ofMinute = { period: minute, statistic: Stats.SUM };
  const ofQuarter = { period: quarter, statistic: Stats.SUM };
  const ofHour = { period: hour, statistic: Stats.SUM };
  return [
    {
      id: 'DomainsStuck',
      name: 'domains-stuck',
      meaning: 'The next step of a custom domain has been overdue for an hour.',
      metric: domainMetric(stage, DOMAINS_STUCK, five, Stats.MAXIMUM),
      above: 0,
      periods: { above: 3, of: 3 },
    },
    {
      id: 'DomainWorkflowFailed',
      name: 'domain-workflow-failed',
      meaning: 'An execution of the domain workflow failed, timed out or was aborted.',
      metric: sumOf(
        'executions',
        { failed: workflow.metricFailed(ofHour), timedOut: workflow.metricTimedOut(ofHour), aborted: workflow.metricAborted(ofHour) },
        hour,
      ),
      above: 0,
    },
    {
      id: 'DomainWorkflowThrottled',
      name: 'domain-workflow-throttled',
      meaning: `Step Functions delayed more than ${THROTTLED_TRANSITIONS} transitions in five minutes, three times in a row.`,
      metric: workflow.metricThrottled({ period: five, statistic: Stats.SUM }),
      above: THROTTLED_TRANSITIONS,
      periods: { above: 3, of: 3 },
    },
    {
      id: 'DomainStepsFailing',
      name: 'domain-steps-failing',
      meaning: `More than ${STEP_ERRORS} steps of custom domains failed or were throttled in fifteen minutes: more than one domain is affected.`,
      metric: sumOf('steps', { errors: steps.function.metricErrors(ofQuarter), throttles: steps.function.metricThrottles(ofQuarter) }, quarter),
      above: STEP_ERRORS,
    },
    {
      id: 'SweepFailing',
      name: 'sweep-failing',
      meaning: 'More than one sweep failed or was throttled within fifteen minutes.',
      metric: sumOf('sweeps', { errors: sweep.function.metricErrors(ofQuarter), throttles: sweep.function.metricThrottles(ofQuarter) }, quarter),
      above: SWEEP_ERRORS,
    },
    {
      // Only completed sweeps record this metric, so the alarm also notices a disabled schedule, or a sweep that always times out.
      id: 'SweepOverdue',
      name: 'sweep-overdue',
      meaning: 'No sweep of custom domains has ended for half an hour.',
      metric: domainMetric(stage, DOMAINS_STUCK, five, Stats.SAMPLE_COUNT),
      silentPeriods: 6,
    },
    {
      id: 'EdgeSweepOverdue',
      name: 'sweep-of-edge-overdue',
      meaning: `The last complete sweep of the edge began more than ${EDGE_SWEEP_HOURS} hours ago.`,
      metric: domainMetric(stage, EDGE_SWEEP_AGE, quarter, Stats.MAXIMUM),
      above: EDGE_SWEEP_HOURS,
    },
    {
      id: 'PublicationsFailed',
      name: 'publications-failed',
      meaning: 'Changes by owners could not be republished in two of three hours: visitors may still get the earlier content.',
      metric: domainMetric(stage, PUBLICATIONS_FAILED, hour, Stats.SUM),
      above: 0,
      periods: { above: 2, of: 3 },
    },
    {
      id: 'CertificatesFailed',
      name: 'certificates-failed',
      meaning: `The certificates of more than ${CERTIFICATES_FAILED} domains have begun to fail within an hour: more likely our fault than the fault of this many owners.`,
      metric: domainMetric(stage, CERTIFICATE_FAILED, hour, Stats.SUM),
      above: CERTIFICATES_FAILED,
    },
    {
      id: 'EdgeNearQuota',
      name: 'edge-near-quota',
      meaning: `More than ${CERTIFICATES_WARNING} domains are at the edge, each with a certificate; ACM allows ${CERTIFICATES_QUOTA}.`,
      metric: domainMetric(stage, EDGE_TENANTS, day, Stats.MAXIMUM),
      above: CERTIFICATES_WARNING,
    },
    {
      id: 'TenantsNearQuota',
      name: 'tenants-near-quota',
      meaning: `More than ${TENANTS_WARNING} domains are at the edge, each with a tenant; CloudFront allows ${TENANTS_QUOTA}.`,
      metric: domainMetric(stage, EDGE_TENANTS, day, Stats.MAXIMUM),
      above: TENANTS_WARNING,
    },
    {
      id: 'EdgeMapNearQuota',
      name: 'edge-map-near-quota',
      meaning: `The edge map is larger than ${MAP_WARNING_MB} MB; CloudFront allows ${MAP_QUOTA_MB} MB, and refuses new domains and deployments above that.`,
      metric: domainMetric(stage, EDGE_MAP_BYTES, day, Stats.MAXIMUM),
      above: MAP_WARNING_MB * 1_000_000,
    },
    {
      id: 'RenewalsOverdue',
      name: 'renewals-overdue',
      meaning: "The renewal of a live domain's certificate is long overdue.",
      metric: domainMetric(stage, RENEWALS_OVERDUE, hour, Stats.MAXIMUM),
      above: 0,
    },
    {
      id: 'FailoverFailing',
      name: 'failover-failing',
      meaning: 'The function for missing pages answered with 5xx in two of five minutes.',
      metric: failover.metric('Url5xxCount', ofMinute),
      above: HANDLER_ERRORS,
      periods: { above: 2, of: 5 },
    },
    {
      id: 'FailoverThrottled',
      name: 'failover-throttled',
      meaning: 'Visitors to missing pages got 429 in three of five minutes: the function has no free environment.',
      metric: failover.metricThrottles(ofMinute),
      above: 0,
      periods: { above: 3, of: 5 },
    },
  ];
}
