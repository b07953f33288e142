// AWS's service models from botocore: every operation's shapes, with required members, enumerations, lengths and patterns. They are in the emulator's
// Python environment (requirements.txt pins the version).

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { VENV } from '../emulator.ts';
import type { WireModel } from './wire/model.ts';

/** The service models that a signing name can mean: API Gateway's two APIs share one. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  acm: ['acm'],
  apigateway: ['apigatewayv2', 'apigateway'],
  cloudformation: ['cloudformation'],
  cloudfront: ['cloudfront'],
  'cloudfront-keyvaluestore': ['cloudfront-keyvaluestore'],
  'cognito-idp': ['cognito-idp'],
  dynamodb: ['dynamodb'],
  ecr: ['ecr'],
  events: ['events'],
  iam: ['iam'],
  lambda: ['lambda'],
  logs: ['logs'],
  monitoring: ['cloudwatch'],
  route53: ['route53'],
  s3: ['s3'],
  s3express: ['s3'],
  ses: ['sesv2'],
  ssm: ['ssm'],
  states: ['stepfunctions'],
  sts: ['sts'],
};

const cache = new Map<string, WireModel>();

/** The models of the services that sign with this name, by botocore's names. @throws Error for a name that is not in the table above */
export function modelsOf(signingName: string): ReadonlyMap<string, WireModel> {
  const services = SERVICES[signingName];
  if (services === undefined) throw new Error(`${signingName}: no service model in test/deploy/judge/service-models.ts`);
  return new Map(services.map((service) => [service, modelOf(service)]));
}

/** The services whose operations have targets with this prefix, such as `AWSCognitoIdentityProviderService`. */
export function signingNameOfTarget(prefix: string): string | undefined {
  return Object.keys(SERVICES).find((name) => [...modelsOf(name).values()].some(({ metadata }) => metadata.targetPrefix === prefix));
}

function modelOf(service: string): WireModel {
  const known = cache.get(service);
  if (known !== undefined) return known;
  const files = globSync(`lib/python*/site-packages/botocore/data/${service}/*/service-2.json.gz`, { cwd: VENV }).sort();
  const newest = files.at(-1);
  if (newest === undefined) throw new Error(`${service}: no service model in ${VENV}`);
  const model: WireModel = JSON.parse(gunzipSync(readFileSync(join(VENV, newest))).toString());
  cache.set(service, model);
  return model;
}
