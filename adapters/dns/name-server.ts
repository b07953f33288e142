// Where a name server listens.

import { isIP } from 'node:net';

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

/** Reads `address:port`; IPv6 stands in brackets. @returns undefined if it is none */
export function parseNameServer(text: string): NameServer | undefined {
  const [, address = '', number = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text.trim()) ?? [];
  return isIP(address) !== 0 && Number(number) <= 65_535 ? { address, port: Number(number) } : undefined;
}
