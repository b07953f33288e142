// A name server's address and port.

import { isIP } from 'node:net';

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

/** Parses `address:port`, with IPv6 addresses in brackets. @returns undefined if the text is not of this form */
export function parseNameServer(text: string): NameServer | undefined {
  const [, address = '', number = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text.trim()) ?? [];
  return isIP(address) !== 0 && Number(number) <= 65_535 ? { address, port: Number(number) } : undefined;
}
