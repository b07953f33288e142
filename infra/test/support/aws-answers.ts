// A server that answers as AWS does for one stage: its parameters, tables that are empty, and no bootstrap. For commands that run in processes of their own.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AwsAnswers {
  /** Environment variables with which the SDK asks this server. */
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** @param parameters values by name, such as `/petstore/staging/tables/pets`; undefined if the caller may not read them */
export async function startAwsAnswers(
  parameters: Readonly<Record<string, string>> | undefined,
  region: string,
  account: string,
): Promise<AwsAnswers> {
  const answers: Readonly<Record<string, (input: { readonly Path?: string }) => object | undefined>> = {
    ...(parameters !== undefined && {
      'AmazonSSM.GetParametersByPath': ({ Path = '' }: { readonly Path?: string }) => ({
        Parameters: Object.entries(parameters)
          .filter(([name]) => name.startsWith(Path))
          .map(([Name, Value]) => ({ Name, Value, Type: 'String', ARN: `arn:aws:ssm:${region}:${account}:parameter${Name}` })),
      }),
    }),
    'AmazonSSM.GetParameter': () => undefined,
    'DynamoDB_20120810.Query': () => ({ Items: [], Count: 0, ScannedCount: 0 }),
    'DynamoDB_20120810.Scan': () => ({ Items: [], Count: 0, ScannedCount: 0 }),
  };
  const server = createServer(async (request, response) => {
    const answer = answers[String(request.headers['x-amz-target'])];
    const body = await textOf(request);
    // Of a service with another protocol, such as STS, which the CDK asks when a synthesis takes long: it is refused as well, and not left waiting.
    const input = body.startsWith('{') ? JSON.parse(body) : {};
    const refusal =
      answer === undefined
        ? { __type: 'AccessDeniedException', message: `not authorized: ${request.headers['x-amz-target']}` }
        : { __type: 'ParameterNotFound', message: '' };
    const found = answer?.(input);
    response.writeHead(found === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(found ?? refusal));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    environment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    close: () => void server.close(),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
