// An API as a table of operations: the source of routing, the document, and API Gateway's routes.

import type * as z from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The announced removal of an operation; times in milliseconds since 1970. */
export interface Deprecation {
  /** RFC 9745. */
  readonly since: number;
  /** RFC 8594. The operation returns 410 from this time on. */
  readonly sunset: number;
  readonly successor: string;
}

export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: HttpMethod;
  /** Each `{parameter}` is a whole segment. */
  readonly path: string;
  readonly deprecation?: Deprecation | undefined;
  /** The JSON body. @default none */
  readonly body?: z.ZodType | undefined;
  /** Maximum size of the body. @default MAX_BODY_BYTES */
  readonly maxBodyBytes?: number | undefined;
  /** The query parameters; unknown ones are refused. @default none */
  readonly query?: z.ZodType | undefined;
}
