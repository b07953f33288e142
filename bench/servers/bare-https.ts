// Bare node:https with the files of a folder in memory: what Node itself costs. Arguments: folder with the files and the certificate, port.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { contentTypeOf } from '../../adapters/sites/content-type.ts';

const [folder = '', port = '0'] = process.argv.slice(2);
const site = join(folder, 'site');
const files = new Map(
  readdirSync(site).map((name) => {
    const body = readFileSync(join(site, name));
    return [`/${name}`, { body, headers: { 'content-type': contentTypeOf(name), 'content-length': body.length, etag: `"${name}"` } }];
  }),
);
const server = createServer(
  { cert: readFileSync(join(folder, 'chain.pem')), key: readFileSync(join(folder, 'key.pem')) },
  ({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200, file?.headers);
    response.end(file?.body);
  },
);
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
