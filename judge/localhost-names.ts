// Makes names under `localhost` resolve to this machine (RFC 6761, section 6.3). Not every resolver does that, and the emulator gives each API a
// separate name under `localhost`.

import dns from 'node:dns';

const lookup = dns.lookup as (hostname: string, ...rest: unknown[]) => void;
dns.lookup = ((hostname: string, ...rest: unknown[]) =>
  lookup(hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, ...rest)) as typeof dns.lookup;
