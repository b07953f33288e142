// The responses of an operation in an OpenAPI document, with those that it shares with others.

/** A response of the document. */
export interface DeclaredResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: { readonly 'application/json': { readonly example?: unknown; readonly examples?: Readonly<Record<string, unknown>> } };
}

/** Returns the responses by status, with references followed. @throws Error if one leads nowhere */
export function declaredResponses(document: object, operation: { readonly responses: object }): Readonly<Record<string, DeclaredResponse>> {
  const { components } = document as { readonly components: { readonly responses: Readonly<Record<string, DeclaredResponse>> } };
  const entries = Object.entries(operation.responses as Readonly<Record<string, DeclaredResponse & { readonly $ref?: string }>>);
  return Object.fromEntries(
    entries.map(([status, response]) => {
      if (response.$ref === undefined) return [status, response];
      const shared = components.responses[response.$ref.replace('#/components/responses/', '')];
      if (shared === undefined) throw new Error(`${response.$ref}: not in this document`);
      return [status, shared];
    }),
  );
}
