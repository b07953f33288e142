// JSON for reading, indented without parsing: a parser would round integers beyond 2^53.

/** The text indented by two spaces. @returns the text unchanged if it is no JSON */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let result = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  // Strings, punctuation, and everything else up to the next of them; white space between is dropped.
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
