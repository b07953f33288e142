// Generates the control API client's table of operations, for use at run time, and an interface with their documentation.

import type { ApiDocument, DocumentOperation } from './document-view.ts';

/** The security scheme for deploy tokens. */
const PIPELINE = 'pipeline';

interface Row {
  readonly id: string;
  readonly call: string;
  readonly operation: DocumentOperation;
}

/** Returns TypeScript code. */
export function operationTable(document: ApiDocument): string {
  const rows: Row[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ id: operation.operationId, call: `${method.toUpperCase()} ${path}`, operation })),
  );
  const byToken = rows.filter(({ operation }) => operation.security.some((scheme) => PIPELINE in scheme)).map(({ id }) => id);
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  const creating = rows.filter(({ operation }) => has(operation, 'Idempotency-Key')).map(({ id }) => id);
  const conditional = rows.filter(({ operation }) => has(operation, 'If-Match')).map(({ id }) => id);
  const paged = rows.filter(({ operation }) => has(operation, 'cursor')).map(({ id }) => id);
  return `
/** The operations, with their documentation. */
export interface ControlOperations {
${rows.map(({ id, operation }) => `${documentation(id, operation)}    ${id}: operations["${id}"];\n`).join('')}}

/** Methods and paths, without the prefix. */
export const CALLS: Readonly<Record<keyof ControlOperations, string>> = {
${rows.map(({ id, call }) => `    ${id}: "${call}",\n`).join('')}};

/** Operations that create something, and take an Idempotency-Key. */
export const CREATING = ${list(creating)} as const;

/** Operations that change what can be read, and take an If-Match. */
export const CONDITIONAL = ${list(conditional)} as const;

/** Operations whose lists come in pages. */
export const PAGED = ${list(paged)} as const;

/** Operations that a deploy token allows. */
export const DEPLOYING = ${list(byToken)} as const;
`;
}

function has({ parameters = [] }: DocumentOperation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}

function list(ids: readonly string[]): string {
  return `[${ids
    .toSorted()
    .map((id) => `"${id}"`)
    .join(', ')}]`;
}

/** Returns the doc comment, with the document's own example. */
function documentation(id: string, operation: DocumentOperation): string {
  const { summary, description } = operation;
  // Most descriptions begin with the summary.
  const text = description.startsWith(summary.replace(/\.$/, '')) ? description : `${summary} ${description}`;
  return `    /**\n     * ${text.replaceAll('*/', '* /')}\n     *\n     * @example await control.${id}(${exampleInput(operation)});\n     */\n`;
}

function exampleInput({ parameters = [], requestBody }: DocumentOperation): string {
  const values = (place: string) =>
    Object.fromEntries(parameters.filter((each) => each.in === place && each.required).map(({ name, example }) => [name, example]));
  const body = requestBody?.content['application/json'].example;
  const input = { path: values('path'), query: values('query'), body };
  const members = Object.entries(input).filter(([, value]) => value !== undefined && Object.keys(value as object).length > 0);
  return members.length === 0 ? '' : literal(Object.fromEntries(members));
}

/** Returns a value in JavaScript's notation, on one line. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) => `${/^\w+$/.test(name) ? name : literal(name)}: ${literal(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
