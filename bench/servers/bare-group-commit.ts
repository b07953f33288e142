// The upper bound with group commit, which ours uses for writes: node:http, and one transaction for all requests in the same turn.

import { createServer } from 'node:http';
import { type Answer, createDirectAnswer, openBenchDatabase } from './shared.ts';

const database = openBenchDatabase();
const { admit, list } = createDirectAnswer(database);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
let waiting: { authorization: string | undefined; send: (answer: Answer) => void }[] = [];

function flush(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  const admitted = batch.map(({ authorization }) => admit(authorization));
  commit.run();
  for (const [index, { send }] of batch.entries()) send(list(admitted[index] as Answer));
}

createServer((request, response) => {
  if (waiting.length === 0) setImmediate(flush);
  waiting.push({
    authorization: request.headers.authorization,
    send: ({ status, headers, body }) => {
      headers['content-length'] = String(Buffer.byteLength(body));
      response.writeHead(status, headers);
      response.end(body);
    },
  });
}).listen(Number(process.argv[3]), '127.0.0.1', () => console.log('ready'));
