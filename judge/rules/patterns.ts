// The patterns of AWS's service models, which are written for Java, as JavaScript regular expressions.
//
// Smithy says that a pattern may match any part of a value (https://smithy.io/2.0/spec/constraint-traits.html#pattern-trait). The services don't treat
// patterns without anchors that way: DynamoDB refuses the name `"messages"`, with its quotes, because of `[a-zA-Z0-9_.-]+`
// (https://github.com/aws/aws-cli/issues/790). Patterns with one anchor do match a part: MediaConvert accepts every URL whose start matches `^s3:\/\/.`
// (https://github.com/soto-project/soto/issues/160). So here a pattern must match the whole value, unless it anchors only one end and has no alternatives.

interface Alternative {
  readonly text: string;
  readonly startsAnchored: boolean;
  readonly endsAnchored: boolean;
}

/** Java's names for sets of characters, as the inside of a character class. */
const SETS: Readonly<Record<string, string>> = {
  Alnum: 'a-zA-Z0-9',
  Alpha: 'a-zA-Z',
  Blank: ' \\t',
  Cntrl: '\\x00-\\x1F\\x7F',
  Digit: '0-9',
  Graph: '\\x21-\\x7E',
  IsAlphabetic: '\\p{Alphabetic}',
  IsWhitespace: '\\p{White_Space}',
  LD: '\\p{L}\\p{Nd}',
  Lower: 'a-z',
  Print: '\\x20-\\x7E',
  Punct: '\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E',
  Upper: 'A-Z',
  XDigit: '0-9a-fA-F',
  all: '\\s\\S',
};

const ANCHORS: Readonly<Record<string, '^' | '$'>> = { '^': '^', '\\A': '^', $: '$', '\\z': '$', '\\Z': '$' };

/** The expression that a value has to match. @throws SyntaxError if JavaScript has no equivalent of the pattern */
export function expressionOf(pattern: string): RegExp {
  const reader = new Reader(pattern);
  const alternatives = alternativesIn(reader);
  if (!reader.isAtEnd()) throw new SyntaxError('a ) without a (');
  const isPart = alternatives.length === 1 && alternatives.some(({ startsAnchored, endsAnchored }) => startsAnchored !== endsAnchored);
  const text = alternatives.map((each) => each.text).join('|');
  return new RegExp(isPart ? text : `^(?:${text})$`, 'u');
}

class Reader {
  readonly #text: string;
  #at = 0;
  groups = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Consumes what the expression matches at this position. @returns the match and its groups; undefined if there is none */
  take(expression: RegExp): readonly string[] | undefined {
    const found = new RegExp(expression, 'suy');
    found.lastIndex = this.#at;
    const match = found.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match.map((group) => group ?? '');
  }
}

/** The alternatives up to the end of the group. */
function alternativesIn(reader: Reader): readonly Alternative[] {
  const found: Alternative[] = [];
  /** Inline flags, such as (?i), apply until the end of the group. */
  const flags: string[] = [];
  do {
    const pieces = flags.map((flag) => `(?${flag}:`);
    const atoms: string[] = [];
    for (;;) {
      const flag = reader.take(/\(\?([ims]+)\)/)?.[1];
      if (flag !== undefined) {
        flags.push(flag);
        pieces.push(`(?${flag}:`);
        continue;
      }
      const atom = atomIn(reader);
      if (atom === undefined) break;
      atoms.push(atom);
      pieces.push(quantified(reader, atom));
    }
    const text = pieces.join('') + ')'.repeat(flags.length);
    found.push({ text, startsAnchored: atoms.at(0) === '^', endsAnchored: atoms.at(-1) === '$' });
  } while (reader.take(/\|/) !== undefined);
  return found;
}

function atomIn(reader: Reader): string | undefined {
  const [anchor] = reader.take(/\^|\$|\\[AzZ]/) ?? [];
  if (anchor !== undefined) return ANCHORS[anchor];
  const [group] = reader.take(/\((?:\?(?:[ims]+:|[:=!>]|<[=!]|<\w+>))?/) ?? [];
  if (group !== undefined) {
    const inside = alternativesIn(reader).map(({ text }) => text);
    if (reader.take(/\)/) === undefined) throw new SyntaxError('a ( without a )');
    return group === '(?>' ? atomic(reader, inside.join('|')) : `${group}${inside.join('|')})`;
  }
  if (reader.take(/\[/) !== undefined) return classIn(reader);
  const escaped = escapeIn(reader);
  if (escaped !== undefined) return escaped.isSet ? `[${escaped.text}]` : escaped.text;
  const [literal] = reader.take(/[^|)]/) ?? [];
  return literal !== undefined && '{}]'.includes(literal) ? `\\${literal}` : literal;
}

/** Like atomic groups, possessive quantifiers don't backtrack. */
function quantified(reader: Reader, atom: string): string {
  const [, quantifier = '', mode = ''] = reader.take(/([*+?]|\{\d+(?:,\d*)?\})([?+]?)/) ?? [];
  return mode === '+' ? atomic(reader, atom + quantifier) : atom + quantifier + mode;
}

/** In JavaScript, lookaheads are the only groups that don't backtrack. */
function atomic(reader: Reader, text: string): string {
  reader.groups += 1;
  return `(?:(?=(?<atomic${reader.groups}>${text}))\\k<atomic${reader.groups}>)`;
}

/** An escape, as JavaScript writes it. A set is given as the inside of a character class. */
function escapeIn(reader: Reader): { readonly text: string; readonly isSet: boolean } | undefined {
  const [property, negation, braced, letter = ''] = reader.take(/\\([pP])(?:\{(\w+)\}|(\w))/) ?? [];
  if (property !== undefined) {
    const name = braced || letter;
    const set = SETS[name];
    if (set !== undefined && negation === 'P') throw new SyntaxError(`${property} has no equivalent`);
    return { text: set ?? `\\${negation}{${name}}`, isSet: true };
  }
  const [, point] = reader.take(/\\x\{([0-9a-fA-F]+)\}/) ?? [];
  if (point !== undefined) return { text: `\\u{${point}}`, isSet: false };
  if (reader.take(/\\h/) !== undefined) return { text: ' \\t', isSet: true };
  const [set] = reader.take(/\\[dDsSwW]/) ?? [];
  if (set !== undefined) return { text: set, isSet: true };
  const [same] = reader.take(/\\(?:[bBnrtf]|[1-9]|k<\w+>|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\^$\\.*+?()[\]{}|/-])/) ?? [];
  if (same !== undefined) return { text: same === '\\-' ? '\\x2D' : same, isSet: false };
  const [unknown, literal = ''] = reader.take(/\\(.)/) ?? [];
  if (unknown === undefined) return undefined;
  if (/\w/.test(literal) && literal !== '_') throw new SyntaxError(`${unknown} has no equivalent`);
  return { text: literal, isSet: false };
}

/** A character class, after its bracket. Java's classes within classes are not converted. */
function classIn(reader: Reader): string {
  const negation = reader.take(/\^/) === undefined ? '' : '^';
  let text = '';
  /** Whether a range may begin with the last item. */
  let isStart = false;
  while (reader.take(/\]/) === undefined) {
    if (reader.take(/\[|&&/) !== undefined) throw new SyntaxError('a class within a class');
    if (isStart && reader.take(/-(?!\]|\\[dDsSwWpPh])/) !== undefined) {
      const end = itemIn(reader);
      text += `-${end.text}`;
      isStart = false;
      continue;
    }
    const item = itemIn(reader);
    text += item.text;
    isStart = !item.isSet;
  }
  return `[${negation}${text}]`;
}

function itemIn(reader: Reader): { readonly text: string; readonly isSet: boolean } {
  const escaped = escapeIn(reader);
  if (escaped !== undefined) return escaped;
  const [literal] = reader.take(/./) ?? [];
  if (literal === undefined) throw new SyntaxError('a [ without a ]');
  return { text: /[-^(){}|/$.*+?\\]/.test(literal) ? `\\${literal}` : literal, isSet: false };
}
