// What a stage costs without any traffic.

import { kmsRequests, type Line, logLines, MILLION, MONTH_HOURS } from './catalogue-lines.ts';
import { gbSecondsPerCall } from './requests.ts';
import {
  ALARM_METRICS,
  CHANGES_SWEEP_MINUTES,
  EDGE_SWEEP_METRICS,
  EDGE_SWEEP_MINUTES,
  MEMORY_MB,
  NOTIFIER_METRICS,
  NOTIFIER_MINUTES,
  PROBE_METRICS,
  PROBE_MINUTES,
  PROBE_REQUESTS,
  PROBE_SERVICE_METRICS,
  SURVEY_MINUTES,
  SWEEP_METRICS,
  SWEEP_MINUTES,
} from './stage-facts.ts';
import { ASSUMED, type Usage } from './usage.ts';

/** Runs of the sweeps in a month. */
export const SWEEPS = (MONTH_HOURS * 60) / SWEEP_MINUTES;
/** Runs of the function that sends emails to owners. */
const NOTIFIER_RUNS = (MONTH_HOURS * 60) / NOTIFIER_MINUTES + (MONTH_HOURS * 60) / SURVEY_MINUTES;
const PROBES = (MONTH_HOURS * 60) / PROBE_MINUTES;
export const EDGE_SWEEPS = (MONTH_HOURS * 60) / EDGE_SWEEP_MINUTES;
const CHANGES_SWEEPS = (MONTH_HOURS * 60) / CHANGES_SWEEP_MINUTES;

/** Returns the rows that do not depend on traffic. */
export function fixedLines(usage: Usage): readonly Line[] {
  const { profile, edge } = usage;
  const alarms = ALARM_METRICS[profile];
  const always: readonly Line[] = [
    { what: 'Alarms', price: 'alarmMetrics', quantity: alarms.catalogue + (edge ? alarms.domains : 0) },
    { what: 'Messages of alarms, by email', price: 'emails', quantity: ASSUMED.alarmMessages / 100_000 },
    { what: 'CloudWatch dashboard', price: 'dashboards', quantity: 1 },
    { what: 'Metrics of the probe', price: 'metrics', quantity: PROBE_METRICS },
    { what: 'Probe: metrics of the service', price: 'metrics', quantity: PROBE_SERVICE_METRICS },
    { what: 'Probe: calls', price: 'lambdaRequests', quantity: PROBES / MILLION },
    { what: 'Probe: duration', price: 'lambdaGbSeconds', quantity: (PROBES * gbSecondsPerCall(MEMORY_MB.probe, ASSUMED.probeMs)) / MILLION },
    { what: 'Probe: requests', price: 'httpApiRequests', quantity: (PROBES * PROBE_REQUESTS) / MILLION },
    { what: 'Probe: traces', price: 'traces', quantity: PROBES / MILLION },
  ];
  if (!edge) return always;
  const runs = SWEEPS + CHANGES_SWEEPS;
  return [
    ...always,
    { what: 'Metrics of the sweep', price: 'metrics', quantity: SWEEP_METRICS + (EDGE_SWEEP_METRICS * EDGE_SWEEPS) / MONTH_HOURS },
    { what: 'Sweep: calls', price: 'lambdaRequests', quantity: runs / MILLION },
    { what: 'Sweep: duration', price: 'lambdaGbSeconds', quantity: (runs * gbSecondsPerCall(MEMORY_MB.sweep, ASSUMED.sweepMs)) / MILLION },
    { what: 'Sweep: reads', price: 'readUnits', quantity: runs / MILLION },
    // Sweeps are minutes apart, so each is the first call of its second.
    { what: 'Sweep: traces', price: 'traces', quantity: runs / MILLION },
    ...logLines('Sweep', (runs * ASSUMED.logKbPerStep) / 1e6, usage),
    // Listing the edge map takes one call even if it is empty; asking for its size takes another.
    { what: 'Sweep: calls of the edge map', price: 'mapCalls', quantity: (EDGE_SWEEPS * 2) / 1_000 },
    { what: 'Sweep: keys of the tables', price: 'kmsRequests', quantity: kmsRequests(1, runs) },
    // Only with <STAGE>_MAIL_FROM.
    { what: 'Metrics of emails to owners', price: 'metrics', quantity: NOTIFIER_METRICS },
    { what: 'Emails to owners: calls', price: 'lambdaRequests', quantity: NOTIFIER_RUNS / MILLION },
    {
      what: 'Emails to owners: duration',
      price: 'lambdaGbSeconds',
      quantity: (NOTIFIER_RUNS * gbSecondsPerCall(MEMORY_MB.notifier, ASSUMED.notifierMs)) / MILLION,
    },
    { what: 'Emails to owners: reads', price: 'readUnits', quantity: NOTIFIER_RUNS / MILLION },
    { what: 'Emails to owners: traces', price: 'traces', quantity: NOTIFIER_RUNS / MILLION },
    ...logLines('Emails to owners', (NOTIFIER_RUNS * ASSUMED.logKbPerStep) / 1e6, usage),
    { what: 'Emails to owners: keys of the tables', price: 'kmsRequests', quantity: kmsRequests(2, NOTIFIER_RUNS) },
  ];
}
