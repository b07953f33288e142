// Bodies such as `Action=CreateStack&Tags.member.1.Key=a`. https://smithy.io/2.0/aws/protocols/aws-query-protocol.html

import { fromText, type Input, memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

type Tree = { [name: string]: Tree | string };

/** @returns undefined if the parameters name no action */
export function readQuery(model: WireModel, parameters: URLSearchParams): { readonly operation: string; readonly input: Input } | undefined {
  const operation = parameters.get('Action');
  if (operation === null) return undefined;
  const tree: Tree = {};
  for (const [name, value] of parameters) if (name !== 'Action' && name !== 'Version') plant(tree, name.split('.'), value);
  return { operation, input: structureFrom(model, shapeOf(model, model.operations[operation]?.input), tree) };
}

function plant(tree: Tree, [name = '', ...below]: readonly string[], value: string): void {
  if (below.length === 0) {
    tree[name] = value;
    return;
  }
  const branch = typeof tree[name] === 'object' ? tree[name] : {};
  tree[name] = branch;
  plant(branch, below, value);
}

function fromQuery(model: WireModel, shape: WireShape, node: Tree | string): unknown {
  // An empty list or map is an empty parameter.
  if (shape.type === 'list') return typeof node === 'string' ? [] : listFrom(model, shape, node);
  if (shape.type === 'map') return typeof node === 'string' ? {} : mapFrom(model, shape, node);
  return typeof node === 'string' ? fromText(shape, node) : structureFrom(model, shape, node);
}

function structureFrom(model: WireModel, shape: WireShape, node: Tree): Input {
  return Object.fromEntries(
    Object.entries(node).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromQuery(model, shapeOf(model, member), each)];
    }),
  );
}

function listFrom(model: WireModel, shape: WireShape, node: Tree): unknown[] {
  const items = shape.flattened ? node : node[shape.member?.locationName ?? 'member'];
  return numbered(items).map((each) => fromQuery(model, shapeOf(model, shape.member), each));
}

function mapFrom(model: WireModel, shape: WireShape, node: Tree): Input {
  const [keyName, valueName] = [shape.key?.locationName ?? 'key', shape.value?.locationName ?? 'value'];
  const entries = numbered(shape.flattened ? node : node.entry).filter((each) => typeof each !== 'string');
  return Object.fromEntries(entries.map((each) => [String(each[keyName]), fromQuery(model, shapeOf(model, shape.value), each[valueName] ?? '')]));
}

function numbered(node: Tree | string | undefined): readonly (Tree | string)[] {
  if (node === undefined || typeof node === 'string') return [];
  return Object.entries(node)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, each]) => each);
}
