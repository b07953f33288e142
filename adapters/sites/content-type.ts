// The content type of a file, by its name.

import { lookup } from 'mrmime';

export function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^(text\/|application\/(json|javascript|xml)$)/.test(type) ? `${type}; charset=utf-8` : type;
}
