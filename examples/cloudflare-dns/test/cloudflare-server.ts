// Answers as Cloudflare's API does, for the part that the adapter uses: envelopes, pages, permissions, the rules for records with one name, and batches
// that are made as a whole or not at all. Rules: https://developers.cloudflare.com/api/resources/dns/subresources/records/

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Stored {
  readonly id: string;
  readonly zone: string;
  readonly type: string;
  readonly name: string;
  readonly content: string;
  readonly ttl: number;
  readonly proxied: boolean;
}

type Fields = Partial<Omit<Stored, 'id' | 'zone'>>;

class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface CloudflareServer {
  readonly url: string;
  readonly records: () => readonly Stored[];
  /** Sets a record, as another program would. */
  set(type: string, name: string, content: string): void;
  /** Refuses records with this name, or everything from now on. */
  refuse: { name?: string | undefined; everything?: 'rate' | 'outage' | 'garbage' | undefined };
  stop(): Promise<void>;
}

/** The token that has access to the zones. */
export const TOKEN = 'example-token';

/** Starts a server with these zones. @param perPage the largest page, so that a test sees several */
export async function startCloudflare(zones: readonly string[], perPage = 50): Promise<CloudflareServer> {
  const idOf = (zone: string) => Buffer.from(zone.padEnd(16, '.')).toString('hex').slice(0, 32);
  let records: readonly Stored[] = [];
  let lastId = 0;
  const refuse: CloudflareServer['refuse'] = {};

  function added(to: readonly Stored[], zone: string, { type, name, content, ttl = 1, proxied = false }: Fields): readonly Stored[] {
    if (type === undefined || name === undefined || content === undefined) throw new Refusal(400, 9000, 'DNS record is missing a field');
    if (name !== zone && !name.endsWith(`.${zone}`)) throw new Refusal(400, 9005, 'DNS name is not in the zone');
    if (ttl !== 1 && (ttl < 60 || ttl > 86_400))
      throw new Refusal(400, 9021, 'Invalid TTL. Must be between 60 and 86400 seconds, or 1 for Automatic.');
    if (refuse.name === name) throw new Refusal(500, 10_013, 'Internal error');
    const stored = type === 'TXT' && !content.startsWith('"') ? `"${content}"` : content;
    const others = to.filter((record) => record.zone === zone && record.name === name);
    if (others.some((other) => other.type === type && other.content === stored))
      throw new Refusal(400, 81_058, 'An identical record already exists.');
    const isAddress = (other: { type: string }) => ['A', 'AAAA', 'CNAME'].includes(other.type);
    if (type === 'CNAME' && others.some(isAddress)) throw new Refusal(400, 81_053, 'An A, AAAA, or CNAME record with that host already exists.');
    if (isAddress({ type }) && others.some((other) => other.type === 'CNAME'))
      throw new Refusal(400, 81_054, 'A CNAME record with that host already exists.');
    lastId += 1;
    return [...to, { id: String(lastId).padStart(32, '0'), zone, type, name, content: stored, ttl, proxied }];
  }

  function answer(method: string, url: URL, body: unknown): { result: unknown; result_info?: object } {
    if (refuse.everything === 'rate') throw new Refusal(429, 971, 'Please wait and consider throttling your request speed');
    const [, , , , zoneId, what, batch] = url.pathname.split('/');
    if (zoneId === undefined) {
      allowOnly(url, ['name', 'page', 'per_page']);
      return { result: zones.filter((zone) => zone === url.searchParams.get('name')).map((zone) => ({ id: idOf(zone), name: zone })) };
    }
    const zone = zones.find((each) => idOf(each) === zoneId);
    if (zone === undefined) throw new Refusal(404, 7003, 'Could not route to the zone, perhaps your object identifier is invalid?');
    if (method === 'GET' && what === 'dns_records' && batch === undefined) {
      allowOnly(url, ['name.exact', 'type', 'page', 'per_page']);
      const found = records.filter((record) => record.zone === zone && record.name === url.searchParams.get('name.exact'));
      const size = Math.min(perPage, Number(url.searchParams.get('per_page') ?? 100));
      const page = Number(url.searchParams.get('page') ?? 1);
      const result_info = { page, per_page: size, count: found.length, total_count: found.length, total_pages: Math.ceil(found.length / size) };
      return { result: found.slice((page - 1) * size, page * size), result_info };
    }
    if (method === 'POST' && what === 'dns_records' && batch === 'batch') {
      const { deletes = [], posts = [] } = body as { deletes?: readonly { id: string }[]; posts?: readonly Fields[] };
      let changed = records;
      for (const { id } of deletes) {
        if (!changed.some((record) => record.id === id && record.zone === zone)) throw new Refusal(404, 81_044, 'Record does not exist.');
        changed = changed.filter((record) => record.id !== id);
      }
      for (const post of posts) changed = added(changed, zone, post);
      records = changed;
      return { result: { deletes, posts } };
    }
    throw new Refusal(405, 10_405, 'Method not allowed for this endpoint');
  }

  const server = createServer(async (request, response) => {
    const send = (status: number, content: object) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    try {
      if (refuse.everything === 'outage') return void request.socket.destroy();
      if (refuse.everything === 'garbage') return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal(403, 9109, 'Invalid access token');
      const body = await bodyOf(request);
      send(200, { success: true, errors: [], messages: [], ...answer(request.method ?? '', new URL(request.url ?? '', 'http://localhost'), body) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(error.status, { success: false, errors: [{ code: error.code, message: error.message }], messages: [], result: null });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`,
    records: () => records,
    set: (type, name, content) => {
      const zone = zones.find((each) => name === each || name.endsWith(`.${each}`)) ?? '';
      records = added(records, zone, { type, name, content });
    },
    refuse,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The API refuses parameters that it does not know. */
function allowOnly(url: URL, known: readonly string[]): void {
  const unknown = [...url.searchParams.keys()].filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Refusal(400, 9207, `Unknown parameters: ${unknown.join(', ')}`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks = await request.toArray();
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}
