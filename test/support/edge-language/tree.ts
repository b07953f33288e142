// Walks a syntax tree with the names in scope.

import type { AnyNode } from 'acorn';

export interface Place {
  /** The nodes around this one, from the outermost. */
  readonly parents: readonly AnyNode[];
  /** The names that functions and the program around it declare. */
  readonly declared: ReadonlySet<string>;
}

/** Calls a function for each node, parents first. Names of properties and labels are not visited. */
export function walk(node: AnyNode, visit: (node: AnyNode, place: Place) => void, place: Place = { parents: [], declared: new Set() }): void {
  const inner = isFunction(node) || node.type === 'Program' ? { ...place, declared: new Set([...place.declared, ...namesDeclaredIn(node)]) } : place;
  visit(node, inner);
  for (const child of expressionsIn(node)) walk(child, visit, { ...inner, parents: [...inner.parents, node] });
}

/** Whether the node is a function of any kind, except a method of a class. */
export function isFunction(node: AnyNode): node is Extract<AnyNode, { async: boolean }> {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

/** Returns a node's children, in the order of the source. */
function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** A node's children without names of properties and labels. */
function expressionsIn(node: AnyNode): AnyNode[] {
  const named: unknown[] = [];
  if (node.type === 'MemberExpression' && !node.computed) named.push(node.property);
  if (node.type === 'Property' && !node.computed) named.push(node.key);
  if (node.type === 'LabeledStatement' || node.type === 'BreakStatement' || node.type === 'ContinueStatement') named.push(node.label);
  if (node.type === 'ImportSpecifier') named.push(node.imported);
  return childrenOf(node).filter((child) => !named.includes(child));
}

/** The names that a function or a program declares at any depth, except in functions within. */
function namesDeclaredIn(scope: AnyNode): string[] {
  const names = isFunction(scope) ? [...scope.params.flatMap(namesIn), ...(scope.id ? [scope.id.name] : [])] : [];
  const collect = (node: AnyNode): void => {
    if (node.type === 'VariableDeclarator') names.push(...namesIn(node.id));
    if (node.type === 'CatchClause' && node.param) names.push(...namesIn(node.param));
    if (node.type === 'ImportDeclaration') names.push(...node.specifiers.map(({ local }) => local.name));
    if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id) names.push(node.id.name);
    if (!isFunction(node)) for (const child of childrenOf(node)) collect(child);
  };
  for (const child of childrenOf(scope)) collect(child);
  return names;
}

/** The names in a pattern: one, or several if it destructures. */
function namesIn(pattern: AnyNode): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  return childrenOf(pattern).flatMap((child) => namesIn(child));
}
