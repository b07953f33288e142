// The environment of each Lambda function, as its stack sets it, and a control API event.

import type { ControlEvent } from '../../service/control/authenticate.ts';

export const DOMAIN_ENVIRONMENT = {
  CONTROL_TABLE: 'petstore-test-control',
  SERVICE_NAME: 'petstore-test',
  STAGE: 'staging',
  EDGE_NAME: 'edge.platform.dev',
  EDGE_MAP_ARN: 'arn:aws:cloudfront::123456789012:key-value-store/1',
  DISTRIBUTION_ID: 'E1',
  CONNECTION_GROUP: 'petstore-staging',
  WORKFLOW_ARN: 'arn:aws:states:eu-central-1:123456789012:stateMachine:domains',
  SITES_BUCKET: 'sites',
  DNS_SERVERS: '9.9.9.9:53,[2620:fe::fe]:53',
};

export const CONTROL_ENVIRONMENT = {
  PETS_TABLE: 'pets',
  USAGE_TABLE: 'usage',
  CONTROL_TABLE: 'control',
  SERVICE_NAME: 'petstore-test',
  KEY_MODE: 'test',
  EDGE_NAME: 'edge.platform.dev',
  ROUTING_ENDPOINT_PARAMETER: '/petstore/staging/edge/routing-endpoint',
  EDGE_MAP_ARN: 'arn:aws:cloudfront::123456789012:key-value-store/0a1b2c3d-0000-4000-8000-000000000001',
  SITES_BUCKET: 'sites',
  WORKFLOW_ARN: 'arn:aws:states:eu-central-1:123456789012:stateMachine:petstore-domains',
  PUBLISH_FUNCTION: 'arn:aws:lambda:eu-central-1:123456789012:function:steps',
};

export const NOTIFIER_ENVIRONMENT = {
  CONTROL_TABLE: 'control',
  USAGE_TABLE: 'usage',
  SERVICE_NAME: 'petstore-test',
  USER_POOL_ID: 'eu-central-1_AbCdEfGhI',
  MAIL_FROM: 'no-reply@example.com',
  MAIL_REGION: 'eu-west-1',
  DASHBOARD_URL: 'https://d111111abcdef8.cloudfront.net',
};

export const GATE_ENVIRONMENT = {
  USAGE_TABLE: 'usage',
  CONTROL_TABLE: 'control',
  TARGET_URL: 'https://orders.example.com',
  TARGET_SECRET_PARAMETER: '/orders/gate-secret',
  TARGET_TIMEOUT_MS: '1000',
  READ_SCOPE: 'pets:read',
  WRITE_SCOPE: 'pets:write',
  SERVICE_NAME: 'petstore-orders',
};

/** A request to the control API as API Gateway passes it on. @param fields the claims in the user's token; the body, as JSON */
export function controlEvent(
  method: string,
  path: string,
  fields: { claims?: object; body?: string | undefined; headers?: object } = {},
): ControlEvent {
  return {
    rawPath: `/dashboard/v1${path}`,
    headers: { 'content-type': 'application/json', ...fields.headers },
    body: fields.body,
    isBase64Encoded: false,
    requestContext: {
      http: { method, sourceIp: '192.0.2.1' },
      requestId: 'r1',
      ...(fields.claims && { authorizer: { jwt: { claims: fields.claims } } }),
    },
  } as unknown as ControlEvent;
}
