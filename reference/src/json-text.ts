// Indents JSON without parsing it: a parser would round integers beyond 2^53.

/** Indents JSON by two spaces. @returns the text unchanged if it is not JSON */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let result = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  // Tokens are strings, punctuation, and anything else up to the next string or punctuation. White space between tokens is dropped.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      result += token + line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const empty = /[{[]\s*$/.exec(result);
      result = empty ? result.trimEnd() + token : result + line() + token;
    } else if (token === ',') result += token + line();
    else result += token === ':' ? ': ' : token;
  }
  return result;
}
