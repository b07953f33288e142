// AWS's service models from botocore: every operation's shapes, with required members, enumerations, lengths and patterns. A Python
// environment with botocore has them in its folder `botocore/data`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
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

export interface ServiceModels {
  /** The models of the services that sign with this name, by botocore's names. @throws Error for a name that is not in the table above */
  of(signingName: string): ReadonlyMap<string, WireModel>;
  /** The services whose operations have targets with this prefix, such as `AWSCognitoIdentityProviderService`. */
  signingNameOfTarget(prefix: string): string | undefined;
}

/** Reads each model once, when it is needed. @param python a Python environment with botocore */
export function createServiceModels(python: string): ServiceModels {
  const cache = new Map<string, WireModel>();

  function modelOf(service: string): WireModel {
    const known = cache.get(service);
    if (known !== undefined) return known;
    const files = globSync(`lib/python*/site-packages/botocore/data/${service}/*/service-2.json.gz`, { cwd: python }).sort();
    const newest = files.at(-1);
    if (newest === undefined) throw new Error(`${service}: no service model in ${python}`);
    const model: WireModel = JSON.parse(gunzipSync(readFileSync(join(python, newest))).toString());
    cache.set(service, model);
    return model;
  }

  function modelsOf(signingName: string): ReadonlyMap<string, WireModel> {
    const services = SERVICES[signingName];
    if (services === undefined) throw new Error(`${signingName}: no service model in judge/service-models.ts`);
    return new Map(services.map((service) => [service, modelOf(service)]));
  }

  return {
    of: modelsOf,
    signingNameOfTarget: (prefix) =>
      Object.keys(SERVICES).find((name) => [...modelsOf(name).values()].some(({ metadata }) => metadata.targetPrefix === prefix)),
  };
}
