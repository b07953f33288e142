// Which fields of its access logs CloudFront delivers, and where.

/** Prefix of the keys of files that CloudFront delivers (CloudFront Developer Guide, "Configure standard logging (v2)"). */
export const LOGS_PREFIX = 'AWSLogs/';

/** The delivered fields, none of which is about the visitor. */
export const LOGGED_FIELDS = ['date', 'time', 'x-host-header', 'cs-method', 'cs-uri-stem', 'sc-status', 'sc-bytes', 'time-taken'] as const;
