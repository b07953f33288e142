// Bodies such as `Action=CreateStack&Tags.member.1.Key=a`. https://smithy.io/2.0/aws/protocols/aws-query-protocol.html

import { fromText, type Input, memberOf, type Reading, shapeOf, type WireModel, type WireShape } from './model.ts';

type Tree = { [name: string]: Tree | string };

/** @returns undefined if the parameters name no action, or a different version of the API */
export function readQuery(model: WireModel, parameters: URLSearchParams): Reading | undefined {
  const operation = parameters.get('Action');
  if (operation === null || parameters.get('Version') !== model.metadata.apiVersion) return undefined;
  const tree: Tree = {};
  for (const [name, value] of parameters) if (name !== 'Action' && name !== 'Version') plant(tree, name.split('.'), value);
  return { protocol: 'query', operation, input: structureFrom(model, shapeOf(model, model.operations[operation]?.input), tree) };
}

/** A parameter that has both a value and parts keeps its value under the empty name, so that the model's rules refuse it. */
function plant(tree: Tree, [name = '', ...below]: readonly string[], value: string): void {
  const known = tree[name];
  if (below.length === 0) {
    if (typeof known === 'object') known[''] = value;
    else tree[name] = value;
    return;
  }
  const branch = typeof known === 'object' ? known : known === undefined ? {} : { '': known };
  tree[name] = branch;
  plant(branch, below, value);
}

function fromQuery(model: WireModel, shape: WireShape, node: Tree | string): unknown {
  // An empty list or map is an empty parameter.
  if (shape.type === 'list') return typeof node === 'string' ? (node === '' ? [] : node) : listFrom(model, shape, node);
  if (shape.type === 'map') return typeof node === 'string' ? (node === '' ? {} : node) : mapFrom(model, shape, node);
  if (typeof node === 'string') return fromText(shape, node);
  return shape.type === 'structure' ? structureFrom(model, shape, node) : node;
}

function structureFrom(model: WireModel, shape: WireShape, node: Tree): Input {
  return Object.fromEntries(
    Object.entries(node).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromQuery(model, shapeOf(model, member), each)];
    }),
  );
}

/** @returns the node itself if it is not a list, so that the model's rules refuse it */
function listFrom(model: WireModel, shape: WireShape, node: Tree): unknown {
  const items = numbered(shape.flattened ? node : only(node, shape.member?.locationName ?? 'member'));
  return items?.map((each) => fromQuery(model, shapeOf(model, shape.member), each)) ?? node;
}

/** A map is a list of structures with a key and a value. An entry with other members keeps them, so that the model's rules refuse it. */
function mapFrom(model: WireModel, shape: WireShape, node: Tree): unknown {
  const [keyName, valueName] = [shape.key?.locationName ?? 'key', shape.value?.locationName ?? 'value'];
  const entries = numbered(shape.flattened ? node : only(node, 'entry'));
  const pairs = entries?.map((entry) => {
    if (typeof entry === 'string') return [entry, entry];
    const { [keyName]: key, [valueName]: value = '', ...others } = entry;
    const isPair = typeof key === 'string' && Object.keys(others).length === 0;
    return isPair ? [key, fromQuery(model, shapeOf(model, shape.value), value)] : [String(key), [entry]];
  });
  return pairs === undefined ? [node] : Object.fromEntries(pairs);
}

function only(node: Tree, name: string): Tree | string | undefined {
  return Object.keys(node).length === 1 ? node[name] : undefined;
}

/** @returns undefined if a name is not a number */
function numbered(node: Tree | string | undefined): readonly (Tree | string)[] | undefined {
  if (typeof node !== 'object' || !Object.keys(node).every((name) => /^\d+$/.test(name))) return undefined;
  return Object.entries(node)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, each]) => each);
}
