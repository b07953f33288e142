// The HTTP requests of the real SDK clients, which are captured instead of sent.

import { Readable } from 'node:stream';
import { buildQueryString } from '@smithy/core/protocols';
import type { HttpRequest } from '@smithy/types';
import type { WireRequest } from '../../wire/request.ts';

/** The part of an SDK client's package that is used here. */
export type SdkPackage = Readonly<Record<string, unknown>>;

interface Sending {
  send(command: object): Promise<unknown>;
}

type Constructor<Result> = new (argument: object) => Result;

/** Thrown with a captured request, because no response follows. */
class Captured extends Error {
  readonly request: HttpRequest;

  constructor(request: HttpRequest) {
    super('captured');
    this.request = request;
  }
}

export interface SdkClient {
  /** Whether the SDK has the operation. */
  has(operation: string): boolean;
  request(operation: string, input: object): Promise<WireRequest>;
}

const SETTINGS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  maxAttempts: 1,
  requestHandler: {
    handle: async (request: HttpRequest): Promise<never> => {
      throw new Captured(request);
    },
  },
};

/** @param sdk the package of the client @param client the name of its class, such as `S3Client` @param settings other than region and credentials */
export function sdkClient(sdk: SdkPackage, client: string, settings: object = {}): SdkClient {
  const sending = constructed<Sending>(sdk, client, { ...SETTINGS, ...settings });
  return {
    has: (operation) => sdk[`${operation}Command`] !== undefined,
    request: (operation, input) => {
      const command = constructed<object>(sdk, `${operation}Command`, input);
      return sending.send(command).then(
        () => Promise.reject(new Error(`${operation}: answered without a request`)),
        (error: unknown) => {
          if (error instanceof Captured) return onTheWire(error.request);
          throw error;
        },
      );
    },
  };
}

/** A function that sends requests. @param settings of the client */
export function sdkSender(sdk: SdkPackage, client: string, settings: object): (operation: string, input: object) => Promise<unknown> {
  const sending = constructed<Sending>(sdk, client, settings);
  return (operation, input) => sending.send(constructed<object>(sdk, `${operation}Command`, input));
}

function constructed<Result>(sdk: SdkPackage, name: string, argument: object): Result {
  const made = sdk[name];
  if (typeof made !== 'function') throw new Error(`the package has no ${name}`);
  return new (made as unknown as Constructor<Result>)(argument);
}

/** The request as the SDK's HTTP handler for Node writes it. */
async function onTheWire({ method, path, query, headers, body }: HttpRequest): Promise<WireRequest> {
  const parameters = buildQueryString(query ?? {});
  return {
    method,
    url: parameters === '' ? path : `${path}?${parameters}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: await bytesOf(body),
  };
}

async function bytesOf(body: unknown): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (body instanceof Readable) return Buffer.concat(await body.toArray().then((chunks) => chunks.map((chunk) => Buffer.from(chunk))));
  throw new Error(`a body of an unknown type: ${String(body)}`);
}
