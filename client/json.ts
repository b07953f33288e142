// JSON with int64 values of every digit, in engines old and new: JSON.rawJSON and the source text of numbers (ES2025) are missing in Node 20 and
// in many browsers. One implementation for all of them, so that none behaves differently.

/** The characters between a string's quotation marks. Written so that a long string needs no backtracking. */
const CHARACTERS = String.raw`[^"\\]*(?:\\.[^"\\]*)*`;

/** A string; if it is a member's name, also its value if that is an integer or a string. Matching whole strings, it never begins inside one. */
const TOKENS = new RegExp(String.raw`"(${CHARACTERS})"(?:(\s*:\s*)(?:(-?(?:0|[1-9]\d*))(?![\d.eE])|"(${CHARACTERS})")?)?`, 'g');

/**
 * Parses JSON. Members with these names are bigints if their value is an integer without fraction and exponent; other values are left as they are.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string, bigints: ReadonlySet<string>): unknown {
  // Integers become strings that begin with `#`, and the strings in their place begin with `=`, so that neither is taken for the other.
  const marked = text.replace(TOKENS, (token: string, name: string, colon?: string, digits?: string, characters?: string) => {
    if (colon === undefined || (digits ?? characters) === undefined) return token;
    if (!bigints.has(name.includes('\\') ? JSON.parse(`"${name}"`) : name)) return token;
    return `"${name}"${colon}"${digits === undefined ? `=${characters}` : `#${digits}`}"`;
  });
  return JSON.parse(marked, (name, value: unknown) => {
    if (!bigints.has(name) || typeof value !== 'string') return value;
    return value.startsWith('#') ? BigInt(value.slice(1)) : value.slice(1);
  });
}

/** Writes plain data as JSON.stringify does, and bigints with all of their digits. */
export function writeJson(value: unknown): string {
  return write(value) ?? 'null';
}

/** Returns undefined for what JSON leaves out, such as undefined. */
function write(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => write(each) ?? 'null').join()}]`;
  const members = Object.entries(value).map(([name, each]) => [JSON.stringify(name), write(each)]);
  return `{${members
    .filter(([, text]) => text !== undefined)
    .map((member) => member.join(':'))
    .join()}}`;
}
