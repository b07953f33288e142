// Any Lambda function for an HTTP API. Every request has been admitted, and the event says for which account.

import type { APIGatewayProxyEventV2WithLambdaAuthorizer, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly plan: string;
  readonly scopes: readonly string[];
}

export async function handler({
  rawPath,
  requestContext,
}: APIGatewayProxyEventV2WithLambdaAuthorizer<Caller>): Promise<APIGatewayProxyStructuredResultV2> {
  const { accountId, plan } = requestContext.authorizer.lambda;
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ path: rawPath, accountId, plan }) };
}
