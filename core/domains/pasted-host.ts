// Finds the host name in what people paste: a URL from the address bar, a name with spaces around it, or an address with a port.

/** A scheme with its slashes; some people omit a slash or paste the scheme twice. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/*/i;

/**
 * Returns the part of the text where a host name would be, unchanged; parseHostName decides whether it is one.
 *
 * @param text a URL with or without scheme, user, port, path, query and fragment, in any case, with spaces and quotation marks around it
 */
export function hostIn(text: string): string {
  const bare = text
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .trim()
    .replace(/^["'<(“„«]+|["'>)”“».,;]+$/gu, '')
    .trim();
  const rest = SCHEME.test(bare) && !/^[^/?#]*:\d+([/?#]|$)/.test(bare) ? bare.replace(SCHEME, '') : bare.replace(/^\/+/, '');
  const [authority = ''] = rest.split(/[/?#\\]/);
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return host === '' ? text : host;
}
