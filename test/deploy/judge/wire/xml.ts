// XML bodies. https://smithy.io/2.0/aws/protocols/aws-restxml-protocol.html

import { XMLParser } from 'fast-xml-parser';
import { fromText, memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

const PARSER = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false, ignoreDeclaration: true });

/** @param shape of the root element's content */
export function fromXmlBody(model: WireModel, shape: WireShape, body: Buffer): unknown {
  const [root] = Object.values<unknown>(PARSER.parse(body.toString()));
  return fromXml(model, shape, root);
}

function fromXml(model: WireModel, shape: WireShape, node: unknown): unknown {
  if (shape.type === 'list') {
    const items = shape.flattened ? [node].flat() : childrenOf(node).flatMap(([, each]) => each);
    return items.map((each) => fromXml(model, shapeOf(model, shape.member), each));
  }
  if (shape.type !== 'structure') return fromText(shape, typeof node === 'string' ? node : '');
  return Object.fromEntries(
    childrenOf(node).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromXml(model, shapeOf(model, member), each)];
    }),
  );
}

/** An element with children has text too: the white space between them. An empty one is an empty text. */
function childrenOf(node: unknown): readonly (readonly [string, unknown])[] {
  return typeof node === 'object' && node !== null ? Object.entries(node).filter(([name]) => name !== '#text') : [];
}
