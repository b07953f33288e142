// Settings of the function that sends notifications, from its environment.

import * as z from 'zod/mini';
import { parseSender, SENDER_FORM } from '../../core/notifications/sender.ts';
import { parserOf, some } from './environment.ts';

const schema = z.object({
  CONTROL_TABLE: some('the name of a DynamoDB table'),
  /** Not set on stages without an audit log. */
  AUDIT_TABLE: z.optional(some('the name of a DynamoDB table')),
  USAGE_TABLE: some('the name of a DynamoDB table'),
  SERVICE_NAME: some('the service name in logs and metrics'),
  USER_POOL_ID: some('the id of a Cognito user pool'),
  /** An address in a domain that SES has verified, optionally with a name. */
  MAIL_FROM: z.string().check(z.refine((text) => parseSender(text) !== undefined, SENDER_FORM)),
  /** If not set, plan requests are not mailed. */
  OPERATOR_MAIL: z.optional(z.email('an email address')),
  MAIL_REGION: some('the region of that domain in SES'),
  DASHBOARD_URL: z.url({ protocol: /^https$/, error: 'the origin of the dashboard' }),
});

export type NotificationEnvironment = z.input<typeof schema>;
export type NotificationFunctionSettings = z.output<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseNotificationSettings = parserOf(schema);
