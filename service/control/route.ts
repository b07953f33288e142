// Which operation of the control API a request asks for.

import { CONTROL_OPERATIONS, CONTROL_PREFIX, type ControlOperation, type ControlOperationId } from './operations.ts';

export type ControlRoute =
  | { readonly kind: 'operation'; readonly id: ControlOperationId; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: 'method_not_allowed'; readonly allow: string }
  | { readonly kind: 'not_found' };

const PATTERNS = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlOperation][]).map(([id, operation]) => ({
  id,
  method: operation.method,
  pattern: new RegExp(`^${CONTROL_PREFIX}${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[\\w-]{1,64})').replace('.', '\\.')}/?$`),
}));

export function routeControl(method: string, path: string): ControlRoute {
  const there = PATTERNS.map((each) => ({ ...each, match: each.pattern.exec(path) })).filter(({ match }) => match !== null);
  const found = there.find((each) => each.method === method);
  if (found !== undefined) return { kind: 'operation', id: found.id, parameters: { ...found.match?.groups } };
  return there.length === 0 ? { kind: 'not_found' } : { kind: 'method_not_allowed', allow: there.map((each) => each.method).join(', ') };
}
