// What CloudFront delivers of its access logs, and where.

/** The start of the names of files that CloudFront delivers (CloudFront Developer Guide, "Configure standard logging (v2)"). */
export const LOGS_PREFIX = 'AWSLogs/';

/** The fields that are delivered: none of them is about the visitor. */
export const LOGGED_FIELDS = ['date', 'time', 'x-host-header', 'cs-method', 'cs-uri-stem', 'sc-status', 'sc-bytes', 'time-taken'] as const;
