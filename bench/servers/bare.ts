// The upper bound: node:http with the same statements and nothing else.

import { createServer } from 'node:http';
import { createCommittedAnswer, openBenchDatabase } from './shared.ts';

const answer = createCommittedAnswer(openBenchDatabase());
createServer((request, response) => {
  const { status, headers, body } = answer(request.headers.authorization);
  headers['content-length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  response.end(body);
}).listen(Number(process.argv[3]), '127.0.0.1', () => console.log('ready'));
