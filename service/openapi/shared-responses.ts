// Errors as components. Without components, each operation would repeat all of its errors, and generated clients would have a type for each.

import type { Json } from './headers.ts';

interface Response {
  readonly content?: { readonly 'application/json'?: { readonly examples?: Json } };
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

/** The paths, with references to the shared responses, and the shared responses. */
export interface SharedResponses {
  readonly paths: Json;
  readonly responses: Json;
}

/**
 * Moves errors and 304s to the components, under names built from their codes. If several responses have the same codes but different headers, the
 * most common one gets the name; the names of the others begin with the id of the first operation that has them.
 */
export function shareResponses(paths: Json): SharedResponses {
  const methods = Object.values(paths).flatMap((each) => Object.values(each as Readonly<Record<string, Operation>>));
  const found = methods.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const name = nameOf(status, response);
      return name === undefined ? [] : [{ name, operationId, text: JSON.stringify(response) }];
    }),
  );
  const names = new Map<string, string>();
  for (const [name, all] of Map.groupBy(found, (each) => each.name)) {
    const variants = [...Map.groupBy(all, ({ text }) => text).values()].sort((a, b) => b.length - a.length);
    for (const [index, [first]] of variants.entries())
      if (first !== undefined) names.set(first.text, index === 0 ? name : `${capitalized(first.operationId)}${name}`);
  }
  const referring = ({ responses, ...operation }: Operation) => ({
    ...operation,
    responses: mapped(responses, (response) => {
      const name = names.get(JSON.stringify(response));
      return name === undefined ? response : { $ref: `#/components/responses/${name}` };
    }),
  });
  return {
    paths: mapped(paths, (each) => mapped(each as Readonly<Record<string, Operation>>, referring)),
    responses: Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)])),
  };
}

function mapped<T>(from: Readonly<Record<string, T>>, change: (value: T) => unknown): Json {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));
}

/** Returns a response's name, such as `ConflictOrIdempotencyInProgress`; undefined for a success, whose body is the operation's own. */
function nameOf(status: string, { content }: Response): string | undefined {
  if (status === '304') return 'NotModified';
  if (Number(status) < 400) return undefined;
  const codes = Object.keys(content?.['application/json']?.examples ?? {});
  return codes.map((code) => code.split('_').map(capitalized).join('')).join('Or');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
