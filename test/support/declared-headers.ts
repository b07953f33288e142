// Finds headers in a response that its OpenAPI document does not declare.

import { declaredResponses } from './declared-responses.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
}

/** Headers that belong to HTTP itself or to the body, which OpenAPI describes elsewhere. */
const OF_HTTP = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/** Returns the undeclared headers; undefined if the document lacks the operation or the response's status. */
export function undeclaredHeaders(
  document: object,
  method: string,
  path: string,
  status: number,
  names: Iterable<string>,
): readonly string[] | undefined {
  const { paths } = document as Document;
  const asked = path.split('?')[0] ?? '';
  const found = Object.entries(paths).find(([template]) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(asked),
  );
  const operation = found?.[1][method.toLowerCase()];
  const response = operation && declaredResponses(document, operation)[status];
  if (response === undefined) return undefined;
  const declared = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  return [...names].filter((name) => !declared.includes(name) && !OF_HTTP.includes(name));
}
