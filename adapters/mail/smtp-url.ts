// The URL of an SMTP server, as operators write it.

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** When TLS begins. `implicit`: with the first byte (RFC 8314); `starttls`: before anything else is sent; `none`: never (only on this machine). */
  readonly tls: 'implicit' | 'starttls' | 'none';
  /** @default the server requires none */
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** RFC 8314, section 3.3, and RFC 6409. */
const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Parses `smtps://user:password@host:port` or `smtp://…`; undefined if the text is neither. User and password are percent-encoded. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!/^smtps?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isWhole = ['', '/'].includes(pathname) && search === '' && hash === '';
  if (!isWhole || !/^[a-z0-9.:-]+$/i.test(host) || port === '0' || (username === '') !== (password === '')) return undefined;
  const login = loginOf(username, password);
  if (login === undefined) return undefined;
  return {
    host,
    port: port === '' ? PORTS[protocol as keyof typeof PORTS] : Number(port),
    tls: protocol === 'smtps:' ? 'implicit' : LOOPBACK.test(host) ? 'none' : 'starttls',
    login: username === '' ? undefined : login,
  };
}

function loginOf(user: string, password: string): SmtpServer['login'] {
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
