// hono on its Node server, with the same statements.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createCommittedAnswer, openBenchDatabase } from './shared.ts';

const answer = createCommittedAnswer(openBenchDatabase());
const app = new Hono();
app.get('/v1/pets', (context) => {
  const { status, headers, body } = answer(context.req.header('authorization'));
  return context.body(body, status as 200, headers);
});
serve({ fetch: app.fetch, port: Number(process.argv[3]), hostname: '127.0.0.1' }, () => console.log('ready'));
