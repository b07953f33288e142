// Content types by file name.

import { lookup } from 'mrmime';

/** Returns the content type for a file name, with UTF-8 for text; `application/octet-stream` if unknown. */
export function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^(text\/|application\/(json|javascript|xml)$)/.test(type) ? `${type}; charset=utf-8` : type;
}
