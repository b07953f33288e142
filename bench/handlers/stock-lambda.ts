// The peer in the cold start comparison: the same operations in the usual style with stock middy and the SDK's document client, with the same
// tables, the same conditional write for key and limits, and the simplest validation that middy offers.

import { randomInt } from 'node:crypto';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpRouter from '@middy/http-router';
import validator from '@middy/validator';
import { transpileSchema } from '@middy/validator/transpile';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { keyOf } from '../stock-key.ts';
import { LIST_EVENT_SCHEMA } from './stock-schema.ts';

const { PETS_TABLE, USAGE_TABLE } = process.env;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

type Answer = { statusCode: number; headers: Record<string, string>; body: string };

const json = (statusCode: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const error = (status: number, code: string, message: string) => json(status, { code, message, status });

/** Key and both windows in one write, as in ours. */
async function admit(event: APIGatewayProxyEventV2): Promise<Record<string, string> | Answer> {
  const key = keyOf(event.headers.authorization);
  if (key === undefined) return error(401, 'unauthorized', 'no API key');
  const now = Date.now();
  try {
    const { Attributes = {} } = await client.send(
      new UpdateCommand({
        TableName: USAGE_TABLE,
        Key: { accountId: key.accountId },
        UpdateExpression: 'ADD #m :one, #d :one',
        ConditionExpression: '#k.#e > :now AND (attribute_not_exists(#m) OR #m < #ml) AND (attribute_not_exists(#d) OR #d < #dl)',
        ExpressionAttributeNames: {
          '#k': `k:${key.digest}`,
          '#e': 'e',
          '#m': `m${Math.floor(now / 60_000)}`,
          '#d': `d${Math.floor(now / 86_400_000)}`,
          '#ml': 'ml',
          '#dl': 'dl',
        },
        ExpressionAttributeValues: { ':one': 1, ':now': now },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const used = Number(Attributes[`m${Math.floor(now / 60_000)}`]);
    return {
      'x-ratelimit-limit': String(Attributes.ml),
      'x-ratelimit-remaining': String(Number(Attributes.ml) - used),
      'x-ratelimit-reset': String(Math.ceil(now / 60_000) * 60),
    };
  } catch (fault) {
    if (fault instanceof ConditionalCheckFailedException) return error(429, 'rate_limit_exceeded', 'more than the limit');
    throw fault;
  }
}

const isAnswer = (value: Record<string, string> | Answer): value is Answer => typeof value.statusCode === 'number';

const listPets = middy()
  .use(validator({ eventSchema: transpileSchema(LIST_EVENT_SCHEMA) }))
  .handler(async (input) => {
    const event = input as APIGatewayProxyEventV2;
    const admitted = await admit(event);
    if (isAnswer(admitted)) return admitted;
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: PETS_TABLE,
        KeyConditionExpression: 'pk = :pk AND id > :after',
        ExpressionAttributeValues: { ':pk': 'pets', ':after': Number(event.queryStringParameters?.cursor ?? 0) },
        Limit: Number(event.queryStringParameters?.limit ?? 20),
      }),
    );
    return json(200, Items, admitted);
  });

const getPet = middy().handler(async (input) => {
  const event = input as APIGatewayProxyEventV2;
  const admitted = await admit(event);
  if (isAnswer(admitted)) return admitted;
  const { Item } = await client.send(new GetCommand({ TableName: PETS_TABLE, Key: { pk: 'pets', id: Number(event.pathParameters?.petId) } }));
  return Item === undefined ? error(404, 'not_found', 'no such animal') : json(200, Item, admitted);
});

const createPet = middy()
  .use(httpJsonBodyParser())
  .use(
    validator({
      eventSchema: transpileSchema({
        type: 'object',
        properties: {
          body: {
            type: 'object',
            required: ['name', 'categoryId'],
            additionalProperties: false,
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 255 },
              categoryId: { type: 'integer' },
              status: { enum: ['available', 'pending', 'sold'] },
            },
          },
        },
      }),
    }),
  )
  .handler(async (event) => {
    const admitted = await admit(event as unknown as APIGatewayProxyEventV2);
    if (isAnswer(admitted)) return admitted;
    const pet = { id: Date.now() * 4_096 + randomInt(4_096), status: 'available', ...(event.body as unknown as object) };
    await client.send(new PutCommand({ TableName: PETS_TABLE, Item: { pk: 'pets', ...pet }, ConditionExpression: 'attribute_not_exists(pk)' }));
    return json(201, pet, admitted);
  });

export const handler = middy()
  .use(httpErrorHandler({ logger: false }))
  .handler(
    httpRouter([
      { method: 'GET', path: '/v1/pets', handler: listPets },
      { method: 'POST', path: '/v1/pets', handler: createPet },
      { method: 'GET', path: '/v1/pets/{petId}', handler: getPet },
    ] as never) as never,
  );
