// The part of the bill that grows with the users of the dashboard.

import { KB_PER_GB, kmsRequests, type Line, logLines, MILLION, tracesOf } from './catalogue-lines.ts';
import { gbSecondsPerCall, LOG_KB_PER_REQUEST } from './requests.ts';
import { MEMORY_MB } from './stage-facts.ts';
import { ASSUMED, type Usage } from './usage.ts';

/** Returns the rows of the dashboard and its API. */
export function dashboardLines(usage: Usage): readonly Line[] {
  const { users } = usage;
  const calls = users * ASSUMED.controlRequestsPerUser;
  const files = users * ASSUMED.filesPerUser;
  return [
    { what: 'Cognito: active users', price: 'activeUsers', quantity: users },
    // The API is behind CloudFront too.
    { what: 'CloudFront: requests', price: 'cdnRequests', quantity: (calls + files) / MILLION },
    { what: 'CloudFront: data to browsers', price: 'cdnDataOut', quantity: (users * ASSUMED.dashboardMbPerUser) / 1_000 },
    { what: 'CloudFront: function', price: 'cdnFunctions', quantity: files / MILLION },
    { what: 'HTTP API', price: 'httpApiRequests', quantity: calls / MILLION },
    { what: 'Lambda: calls', price: 'lambdaRequests', quantity: calls / MILLION },
    { what: 'Lambda: duration', price: 'lambdaGbSeconds', quantity: (calls * gbSecondsPerCall(MEMORY_MB.control, ASSUMED.controlMs)) / MILLION },
    { what: 'DynamoDB: reads', price: 'readUnits', quantity: (calls * ASSUMED.controlReads) / MILLION },
    { what: 'DynamoDB: writes', price: 'writeUnits', quantity: (calls * ASSUMED.controlWrites) / MILLION },
    ...logLines('Dashboard', (calls * LOG_KB_PER_REQUEST) / KB_PER_GB, usage),
    { what: 'X-Ray: traces', price: 'traces', quantity: tracesOf(calls) / MILLION },
    { what: 'KMS: keys of the tables', price: 'kmsRequests', quantity: kmsRequests(2, calls) },
  ];
}
