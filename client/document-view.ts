// The parts of an OpenAPI document that the generated types contain: inputs and results. Errors and headers are the same for all operations, and the
// clients have their own types for them; with every error of every operation, the control API's types would be six times as long.

/** A part of a document. */
export interface Part {
  readonly [name: string]: unknown;
}

/** An operation of a document, with the parts that the generator reads. */
export interface DocumentOperation extends Part {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
  readonly responses: Readonly<Record<string, Part>>;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly example?: unknown;
}

/** A document, with the parts that the generator reads. */
export interface ApiDocument extends Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Part; readonly parameters?: Part };
}

/** Returns the document without errors, headers and whole examples. */
export function documentView(document: ApiDocument): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, operationView(operation)])),
  ]);
  const { schemas, parameters } = document.components;
  return { ...document, paths: Object.fromEntries(paths), components: { schemas, ...(parameters !== undefined && { parameters }) } };
}

function operationView(operation: DocumentOperation): DocumentOperation {
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    parameters: (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header'),
    ...(operation.requestBody !== undefined && { requestBody: withoutExample(operation.requestBody) as typeof operation.requestBody }),
    responses: Object.fromEntries(answers.map(([status, { headers: _, ...answer }]) => [status, withoutExample(answer)])),
  };
}

/** Leaves out the example of the whole body. The examples of its properties stay. */
function withoutExample(body: Part): Part {
  const content = Object.entries((body.content ?? {}) as Readonly<Record<string, Part>>).map(([type, { example: _, ...media }]) => [type, media]);
  return { ...body, content: Object.fromEntries(content) };
}
