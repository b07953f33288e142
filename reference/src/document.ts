// The parts of an OpenAPI 3.1 document that the page shows, and functions that read them. https://spec.openapis.org/oas/v3.1.0

export const APIS = { catalogue: 'Catalogue API', control: 'Control API' } as const;
export type ApiName = keyof typeof APIS;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Example {
  readonly summary?: string;
  readonly value?: unknown;
}

export interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Header {
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** The first server is the document's own host. */
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

export interface OperationAt extends Operation {
  readonly method: string;
  /** Prefixed with the server's path. */
  readonly path: string;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Returns a tag's operations in the document's order. */
export function operationsOf({ servers, paths }: OpenApiDocument, tag: string): OperationAt[] {
  const prefix = servers[0]?.url ?? '';
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation?.tags.includes(tag) ? [{ ...operation, method: method.toUpperCase(), path: `${prefix}${path}` }] : [];
    }),
  );
}

/** Whether an operation's text contains all of these words. @param words in lower case; if empty, every operation matches */
export function isFound({ method, path, operationId, summary, description }: OperationAt, words: string): boolean {
  const text = [method, path, operationId, summary, description].join(' ').toLowerCase();
  return words.split(/\s+/).every((word) => text.includes(word));
}

/** Returns an operation's title in a list: its summary or, if the summary is a whole sentence, the words of its id. */
export function titleOf({ operationId, summary }: OperationAt): string {
  return summary.endsWith('.') ? capitalized(operationId.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)) : summary;
}

/** Capitalizes the first letter of a string. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether the operation requires an API key or a token. */
export function needsKey({ security }: Operation): boolean {
  return security === undefined || security.length > 0;
}

/** Follows a reference, and adds the keywords next to `$ref` to its target (JSON Schema 2020-12). @throws Error if the document lacks the target */
export function resolve<T extends object>(document: OpenApiDocument, value: T): T {
  const { $ref, ...own } = value as T & { readonly $ref?: string };
  if ($ref === undefined) return value;
  let target: unknown = document;
  for (const part of $ref.replace(/^#\//, '').split('/')) {
    target = (target as Readonly<Record<string, unknown>> | undefined)?.[part.replace(/~1/g, '/').replace(/~0/g, '~')];
  }
  if (target === undefined) throw new Error(`${$ref}: not in this document`);
  return { ...resolve(document, target as T), ...own };
}

/** Returns the name at the end of a reference: `Pet` for `#/components/schemas/Pet`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Returns the first example of a body as indented JSON, or undefined if it has none. */
export function exampleOf(document: OpenApiDocument, { example, examples = {} }: Content): string | undefined {
  const [first] = Object.values(examples);
  const value = example ?? (first && resolve(document, first).value);
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}

/** Parses the document. Integers beyond 2^53 keep their digits in browsers that have JSON.rawJSON. */
export function parseDocument(text: string): OpenApiDocument {
  const { rawJSON } = JSON as { rawJSON?: (source: string) => unknown };
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && rawJSON && context?.source !== undefined
      ? rawJSON(context.source)
      : value,
  );
}
