// Reads requests to AWS as AWS does: which operation of which service, with which input, by the protocols in the service models.
// https://smithy.io/2.0/aws/protocols/

import { gunzipSync } from 'node:zlib';
import { cbor } from '@smithy/core/cbor';
import { modelsOf, signingNameOfTarget } from '../service-models.ts';
import { fromJsonBody } from './json.ts';
import { type Input, shapeOf, type WireModel } from './model.ts';
import { readQuery } from './query.ts';
import type { WireRequest } from './request.ts';
import { readRest } from './rest.ts';

export interface Call {
  /** botocore's name of the service, such as `stepfunctions`. */
  readonly service: string;
  readonly model: WireModel;
  readonly operation: string;
  readonly input: Input;
  /** @default none: the request is not signed */
  readonly accessKeyId: string | undefined;
  /** @default none: the signature is for all regions, or there is none */
  readonly region: string | undefined;
}

interface Signer {
  readonly signingName: string;
  readonly accessKeyId: string | undefined;
  readonly region: string | undefined;
}

/** @returns undefined for requests that are not calls of an AWS API @throws Error for an operation that no model has */
export function readCall(request: WireRequest): Call | undefined {
  const signer = signerOf(request);
  if (signer === undefined) return undefined;
  const { signingName, accessKeyId, region } = signer;
  for (const [service, model] of modelsOf(signingName)) {
    const read = readOperation(model, request);
    if (read !== undefined) return { service, model, accessKeyId, region, ...read };
  }
  throw new Error(`${signingName}: no operation for ${request.method} ${request.url}`);
}

/** Signature Version 4 names the region; 4A, which is for all regions, does not. */
function signerOf({ headers, url, body }: WireRequest): Signer | undefined {
  const inHeader = /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1];
  const credential = inHeader ?? new URL(url, 'http://aws').searchParams.get('X-Amz-Credential');
  if (credential !== null) {
    const [accessKeyId, , ...scope] = credential.split('/');
    const [signingName = '', region] = scope.slice(0, -1).reverse();
    return { signingName, accessKeyId, region };
  }
  const target = targetOf(headers);
  const isAssumption = target === undefined && /(?:^|&)Action=AssumeRoleWith/.test(body.toString('latin1'));
  const signingName = target === undefined ? (isAssumption ? 'sts' : undefined) : signingNameOfTarget(target.prefix);
  return signingName === undefined ? undefined : { signingName, accessKeyId: undefined, region: undefined };
}

function targetOf(headers: WireRequest['headers']): { readonly prefix: string; readonly operation: string } | undefined {
  const [prefix, operation] = String(headers['x-amz-target'] ?? '').split('.');
  return prefix === undefined || operation === undefined ? undefined : { prefix, operation };
}

function readOperation(model: WireModel, request: WireRequest): { readonly operation: string; readonly input: Input } | undefined {
  const { headers, url } = request;
  const body = headers['content-encoding'] === 'gzip' ? gunzipSync(request.body) : request.body;
  if (model.metadata.protocol.startsWith('rest-')) return readRest(model, { ...request, body });
  if (headers['smithy-protocol'] === 'rpc-v2-cbor') {
    const operation = /^\/service\/[^/]+\/operation\/(\w+)/.exec(url)?.[1];
    return operation === undefined ? undefined : { operation, input: body.length === 0 ? {} : cbor.deserialize(body) };
  }
  const target = targetOf(headers);
  if (target === undefined) return readQuery(model, new URLSearchParams(body.toString()));
  const { operation } = target;
  return { operation, input: { ...(fromJsonBody(model, shapeOf(model, model.operations[operation]?.input), body) as object) } };
}
