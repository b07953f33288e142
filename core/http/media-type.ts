// The media type in a Content-Type header (RFC 9110, section 8.3.1).

/** A media type: its type in lower case, and its parameters with names in lower case. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+[ \t]*/i;
/** A parameter is optional after a semicolon. Each part is taken once, so that no text takes longer than its length. */
const PARAMETER = /;[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)=(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*/iy;

/** Parses a Content-Type header. @returns undefined if it is malformed */
export function parseMediaType(header: string): MediaType | undefined {
  const text = header.trim();
  const [start] = TYPE.exec(text) ?? [];
  if (start === undefined) return undefined;
  const parameters = new Map<string, string>();
  for (let at = start.length; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    if (found === null) return undefined;
    const [, name, token, quoted = ''] = found;
    if (name !== undefined) parameters.set(name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1'));
  }
  return { type: start.trim().toLowerCase(), parameters };
}
