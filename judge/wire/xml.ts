// XML bodies. https://smithy.io/2.0/aws/protocols/aws-restxml-protocol.html

import { XMLParser } from 'fast-xml-parser';
import { fromText, memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

const ATTRIBUTE = '@';
const TEXT = '#text';

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE,
  textNodeName: TEXT,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  // The parser decodes numeric entities only together with HTML's, and limits their number.
  processEntities: false,
});

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** @param shape of the root element's content @param root the element's name @throws Error for another root element, or a body that is not XML */
export function fromXmlBody(model: WireModel, shape: WireShape, root: string, body: Buffer): unknown {
  const elements = Object.entries<unknown>(PARSER.parse(body.toString(), true)).filter(([name]) => name !== TEXT);
  const [name, content] = elements[0] ?? [];
  if (elements.length !== 1 || name !== root) throw new Error(`the root element is ${name}; it must be ${root}`);
  return fromXml(model, shape, content);
}

/** Content that does not fit the shape is kept, so that the model's rules refuse it. */
function fromXml(model: WireModel, shape: WireShape, node: unknown): unknown {
  const children = childrenOf(node);
  if (shape.type === 'list') {
    if (shape.flattened) return [node].flat().map((each) => fromXml(model, shapeOf(model, shape.member), each));
    if (children === undefined) return textOf(node).trim() === '' ? [] : node;
    const itemName = shape.member?.locationName ?? 'member';
    if (children.some(([name]) => name !== itemName)) return node;
    return children.flatMap(([, each]) => each).map((each) => fromXml(model, shapeOf(model, shape.member), each));
  }
  if (shape.type !== 'structure') return children === undefined && !Array.isArray(node) ? fromText(shape, textOf(node)) : node;
  if (Array.isArray(node) || (children === undefined && textOf(node).trim() !== '')) return node;
  return Object.fromEntries([
    ...attributesOf(shape, node),
    ...(children ?? []).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromXml(model, shapeOf(model, member), each)];
    }),
  ]);
}

const isElement = (node: unknown): node is Readonly<Record<string, unknown>> => typeof node === 'object' && node !== null && !Array.isArray(node);

/** An element with children has text too: the white space between them. @returns undefined for an element without children */
function childrenOf(node: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (!isElement(node)) return undefined;
  const children = Object.entries(node).filter(([name]) => name !== TEXT && !name.startsWith(ATTRIBUTE));
  return children.length === 0 ? undefined : children;
}

function textOf(node: unknown): string {
  const text = String((isElement(node) ? node[TEXT] : node) ?? '');
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (entity, hexadecimal, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? entity;
    return String.fromCodePoint(Number.parseInt(hexadecimal ?? decimal, hexadecimal === undefined ? 10 : 16));
  });
}

/** The members that are attributes, such as `xsi:type`. Others, such as `xmlns`, belong to XML. */
function attributesOf({ members = {} }: WireShape, node: unknown): readonly (readonly [string, unknown])[] {
  if (!isElement(node)) return [];
  return Object.entries(members).flatMap(([name, { xmlAttribute, locationName = name }]) => {
    const value = node[`${ATTRIBUTE}${locationName}`];
    return xmlAttribute === true && value !== undefined ? [[name, textOf(value)] as const] : [];
  });
}
