// Settings of the control API's function, from its environment.

import * as z from 'zod';
import { onOff, parserOf, some } from './environment.ts';

const schema = z.object({
  PETS_TABLE: some('the name of a DynamoDB table'),
  USAGE_TABLE: some('the name of a DynamoDB table'),
  CONTROL_TABLE: some('the name of a DynamoDB table'),
  /** Not set on stages without an audit log. */
  AUDIT_TABLE: z.string().optional(),
  SERVICE_NAME: some('the service name in logs'),
  KEY_MODE: z.enum(['live', 'test'], 'live or test'),
  EDGE_NAME: some('the parent of all targets, a host name'),
  /** Whether projects are served at their targets. */
  SERVES_TARGETS: onOff(),
  ROUTING_ENDPOINT_PARAMETER: some('the name of an SSM parameter'),
  EDGE_MAP_ARN: some('the ARN of a CloudFront KeyValueStore'),
  SITES_BUCKET: some('the name of a bucket'),
  WORKFLOW_ARN: some('the ARN of a state machine'),
  /** Whether the stage has the function that sends emails to owners. */
  SENDS_MAIL: onOff(),
  /** Ids of the users who operate the stage in the dashboard, separated by commas. */
  OPERATORS: z.string().optional(),
  PUBLISH_FUNCTION: some('the ARN of the function that publishes records'),
});

export type ControlEnvironment = z.input<typeof schema>;
export type ControlSettings = z.output<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseControlSettings = parserOf(schema);
