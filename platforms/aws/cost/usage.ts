// What a stage is used for in a month, and what is assumed about it.

import type { RequestMix } from './requests.ts';
import type { CostProfile } from './stage-facts.ts';

export interface Usage {
  readonly profile: CostProfile;
  /** Whether the stage has custom domains and the dashboard (an edge name). */
  readonly edge: boolean;
  /** Requests to the catalogue, a month. */
  readonly requests: number;
  /** Shares of the kinds of requests; they add up to 1. */
  readonly mix: RequestMix;
  /** Mean duration of the catalogue's function, in milliseconds. */
  readonly ms: number;
  /** Size of the tables, in GB. */
  readonly storageGb: number;
  /** Custom domains at the edge. */
  readonly domains: number;
  /** Domains added in the month; as many are removed. */
  readonly newDomains: number;
  /** Requests of visitors to the domains, a month. */
  readonly siteRequests: number;
  /** Traffic to these visitors, in GB a month. */
  readonly siteGb: number;
  /** Owners who sign in to the dashboard, a month. */
  readonly users: number;
}

/** Assumptions of the bill: estimates, unless a comment has a source. */
export const ASSUMED = {
  /** An animal and its entry in the index, each with DynamoDB's 100 bytes of overhead. */
  animalBytes: 500,
  /** Of an account, in a minute in which it makes any: each such minute is copied to the usage history. */
  requestsPerActiveMinute: 20,
  /** Of a minute: measured with ten processes in turn, which copy the end of an hour several times. */
  historyWrites: 1.1,
  /** Of the domains, in a month. */
  newDomainShare: 0.1,
  siteRequestsPerDomain: 10_000,
  siteKbPerRequest: 50,
  /** Requests that CloudFront passes on to S3. */
  cacheMissShare: 0.1,
  /** Requests for files that do not exist and are not in the cache. */
  missingPageShare: 0.001,
  deploymentsPerDomain: 4,
  filesPerDeployment: 20,
  /** Of deployed files, including earlier deployments. */
  siteMbPerDomain: 50,
  controlRequestsPerUser: 300,
  /** Files of the dashboard; browsers have them in their caches later. */
  filesPerUser: 30,
  dashboardMbPerUser: 3,
  controlMs: 50,
  controlReads: 4,
  /** One counts the request of the user. One in twenty changes something: a transaction of eight units, with its entry in the audit log. */
  controlWrites: 1.4,
  stepMs: 300,
  /** Of a call of the probe, which waits for the API. */
  probeMs: 300,
  /** Of a run that finds no email to send. */
  notifierMs: 50,
  /** Of an empty sweep. */
  sweepMs: 100,
  /** A daily check, which is mostly waiting for DNS; eight run at a time. */
  checkMs: 60,
  /** Storage calls of the sweep of the edge, one after the other, for each domain. */
  edgeSweepMs: 20,
  /** Minutes until the owner's record is visible, the certificate is issued, and CloudFront serves the domain. */
  dnsMinutes: 5,
  certificateMinutes: 5,
  edgeMinutes: 5,
  teardownMinutes: 5,
  logKbPerStep: 1,
  /** The state machine logs each event of an execution. */
  logKbPerTransition: 2,
  alarmMessages: 20,
  /** Stored logs are compressed to this share (CloudWatch pricing page, examples). */
  logCompression: 0.15,
} as const;

/** The size of the tables for a number of animals, in GB. */
export function storageOf(animals: number): number {
  return (animals * ASSUMED.animalBytes) / 1e9;
}
