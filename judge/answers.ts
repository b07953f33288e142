// Refusals in the form of each protocol.

import type { IncomingHttpHeaders } from 'node:http';
import { cbor } from '@smithy/core/cbor';
import type { Call } from './wire/call.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** @param call undefined for a request whose service is unknown, which is refused in JSON */
export function refusal(call: Call | undefined, kind: 'denied' | 'invalid', message: string): Answer {
  const protocol = call?.protocol ?? 'json';
  const code = kind === 'denied' ? deniedCode(protocol) : invalidCode(protocol, call?.service);
  if (protocol === 'smithy-rpc-v2-cbor') {
    const headers = { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' };
    return { status: 400, headers, body: Buffer.from(cbor.serialize({ __type: code, message })) };
  }
  if (protocol === 'json' || protocol === 'rest-json') {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': code };
    const status = protocol === 'rest-json' && kind === 'denied' ? 403 : 400;
    return { status, headers, body: Buffer.from(JSON.stringify({ __type: code, message })) };
  }
  const error = `<Code>${code}</Code><Message>${escaped(message)}</Message>`;
  const xml =
    call?.service === 's3'
      ? `<Error>${error}</Error>`
      : `<ErrorResponse><Error><Type>Sender</Type>${error}</Error><RequestId>0</RequestId></ErrorResponse>`;
  return { status: kind === 'denied' ? 403 : 400, headers: { 'content-type': 'text/xml' }, body: Buffer.from(xml) };
}

function deniedCode(protocol: string): string {
  return protocol === 'query' || protocol === 'rest-xml' ? 'AccessDenied' : 'AccessDeniedException';
}

/** The error codes for invalid input, from the services' API references, where they differ from the protocol's usual code. */
const INVALID: Readonly<Record<string, string>> = {
  cloudfront: 'InvalidArgument',
  'cognito-idp': 'InvalidParameterException',
  lambda: 'InvalidParameterValueException',
  route53: 'InvalidInput',
  s3: 'InvalidArgument',
};

function invalidCode(protocol: string, service = ''): string {
  return INVALID[service] ?? (protocol === 'query' ? 'ValidationError' : 'ValidationException');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
