// Parses requests as AWS does, by the protocols in the service models, into the service, the operation and its input.
// https://smithy.io/2.0/aws/protocols/

import type { ServiceModels } from '../service-models.ts';
import { unchunked, uncompressed } from './body.ts';
import { fromCborBody } from './cbor.ts';
import { fromJsonBody } from './json.ts';
import { type Reading, shapeOf, type WireModel } from './model.ts';
import { readQuery } from './query.ts';
import { partsOf, type WireRequest } from './request.ts';
import { readRest } from './rest.ts';

export interface Call extends Reading {
  /** botocore's name for the service, such as `stepfunctions`. */
  readonly service: string;
  readonly model: WireModel;
  /** @default none: the request is not signed */
  readonly accessKeyId: string | undefined;
  /** @default none: the request is unsigned, or its signature is valid in all regions */
  readonly region: string | undefined;
}

interface Signer {
  readonly signingName: string;
  readonly accessKeyId: string | undefined;
  readonly region: string | undefined;
}

/** @throws Error for a request that names no service, by a signature or by a target, and for one that matches no operation */
export function readCall(request: WireRequest, models: ServiceModels): Call {
  const signer = signerOf(request, models);
  if (signer === undefined) throw new Error(`${request.method} ${request.url}: no signature, and no service`);
  const { signingName, accessKeyId, region } = signer;
  for (const [service, model] of models.of(signingName)) {
    const read = readOperation(model, request);
    if (read !== undefined) return { service, model, accessKeyId, region, ...read };
  }
  throw new Error(`${signingName}: no operation for ${request.method} ${request.url}`);
}

/** Signature Version 4 names the region; 4A, which is for all regions, does not. */
function signerOf({ headers, url, body }: WireRequest, models: ServiceModels): Signer | undefined {
  const inHeader = /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1];
  const credential = inHeader ?? partsOf(url).query.get('X-Amz-Credential');
  if (credential !== null) {
    const [accessKeyId, , ...scope] = credential.split('/');
    const [signingName = '', region] = scope.slice(0, -1).reverse();
    return { signingName, accessKeyId, region };
  }
  const target = targetOf(headers);
  const isAssumption = target === undefined && /(?:^|&)Action=AssumeRoleWith/.test(body.toString('latin1'));
  const signingName = target === undefined ? (isAssumption ? 'sts' : undefined) : models.signingNameOfTarget(target.prefix);
  return signingName === undefined ? undefined : { signingName, accessKeyId: undefined, region: undefined };
}

function targetOf(headers: WireRequest['headers']): { readonly prefix: string; readonly operation: string } | undefined {
  const [prefix, operation] = String(headers['x-amz-target'] ?? '').split('.');
  return prefix === undefined || operation === undefined ? undefined : { prefix, operation };
}

/** @returns undefined if the model has no operation for the request */
function readOperation(model: WireModel, request: WireRequest): Reading | undefined {
  const { protocol, targetPrefix } = model.metadata;
  if (protocol.startsWith('rest-')) return readRest(model, unchunked(request));
  const { headers } = request;
  const { path, query } = partsOf(request.url);
  const body = uncompressed(request);
  const inputOf = (operation: string) => shapeOf(model, model.operations[operation]?.input);
  if (headers['smithy-protocol'] === 'rpc-v2-cbor') {
    const [, service, operation] = /\/service\/(\w+)\/operation\/(\w+)$/.exec(path) ?? [];
    if (operation === undefined || service !== targetPrefix) return undefined;
    return { protocol: 'smithy-rpc-v2-cbor', operation, input: fromCborBody(model, inputOf(operation), body) };
  }
  const target = targetOf(headers);
  if (target === undefined) return readQuery(model, body.length === 0 ? query : new URLSearchParams(body.toString()));
  if (target.prefix !== targetPrefix) return undefined;
  const { operation } = target;
  return { protocol: 'json', operation, input: fromJsonBody(model, inputOf(operation), body) };
}
