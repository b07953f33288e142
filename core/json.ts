// Strict JSON parsing: integers keep every digit (bigint), other numbers keep their text. Refuses duplicate members and strings that are not Unicode
// text, as I-JSON does (RFC 7493, sections 2.1 and 2.3): RFC 8259 leaves both open, and attackers use differences between parsers to bypass filters.

export type JsonResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** A number with a fraction or an exponent, as written. No field of this API accepts one. */
export class DecimalLiteral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON text. Never throws.
 *
 * @param numbers `exact`: integer literals become bigints, other numbers DecimalLiteral; `plain`: numbers, as with JSON.parse. @default 'exact'
 */
export function parseJson(text: string, numbers: 'exact' | 'plain' = 'exact'): JsonResult {
  try {
    const value: unknown = numbers === 'exact' ? JSON.parse(text, keepDigits) : JSON.parse(text);
    const twice = findDuplicateMember(text);
    if (twice !== undefined) return { ok: false, problem: `member ${JSON.stringify(twice)} appears more than once` };
    if (ESCAPED_SURROGATE.test(text) && hasLoneSurrogate(text)) return { ok: false, problem: 'a string has half of a surrogate pair' };
    return { ok: true, value };
  } catch (error) {
    // A RangeError is the caller's mistake as well: V8's reviver recurses, so very deep nesting overflows the stack, which is harmless.
    return { ok: false, problem: error instanceof SyntaxError ? error.message : 'nested too deeply' };
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : new DecimalLiteral(context.source);
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** Whether the text, valid JSON, has a lone surrogate: JSON.stringify writes pairs as characters, but escapes lone ones. */
function hasLoneSurrogate(text: string): boolean {
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(JSON.parse(text)));
}

/** Finds the first member name that appears twice in one object. The text must be valid JSON. */
function findDuplicateMember(text: string): string | undefined {
  /** The names seen in each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let nameNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        nameNext = true;
        break;
      case '[':
        open.push(undefined);
        nameNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        nameNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = closingQuote(text, at);
        const names = open.at(-1);
        if (nameNext && names !== undefined) {
          const name: string = JSON.parse(text.slice(at, end + 1));
          if (names.has(name)) return name;
          names.add(name);
          nameNext = false;
        }
        at = end;
      }
    }
  }
  return undefined;
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
