// What an API is made of: a table of operations. Routing, the document, and the routes of API Gateway come from it.

import type * as z from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Announced removal of an operation, in milliseconds since 1970. */
export interface Deprecation {
  /** RFC 9745. */
  readonly since: number;
  /** RFC 8594. From then on the operation answers 410. */
  readonly sunset: number;
  readonly successor: string;
}

export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: HttpMethod;
  /** Each `{parameter}` is a whole segment. */
  readonly path: string;
  readonly deprecation?: Deprecation | undefined;
  /** The JSON body that it takes. @default it takes none */
  readonly body?: z.ZodType | undefined;
  /** The parameters of its query; a parameter that it does not name is refused. @default it takes none */
  readonly query?: z.ZodType | undefined;
}
