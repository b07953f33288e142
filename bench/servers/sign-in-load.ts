// Strangers who try to sign in, in a separate process. Arguments: origin, number of strangers. For each line on standard input, all of them send a
// guess at once, each for a different name; prints the answers as JSON, by status.

import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { Browser, openSignIn, submit } from '../../test/support/sign-in.ts';

const [origin = '', count = '200'] = process.argv.slice(2);
// Real strangers would be on other machines, so these leave the CPU to the service.
setPriority(19);

const strangers = await Promise.all(
  Array.from({ length: Number(count) }, async (_, n) => {
    const browser = new Browser({ 'x-forwarded-for': `198.51.${100 + (n >> 8)}.${n & 255}` });
    return { browser, page: (await openSignIn(browser, origin)).page };
  }),
);
console.log('ready');

let guesses = 0;
for await (const _ of createInterface({ input: process.stdin })) {
  const statuses = await Promise.all(
    strangers.map(async ({ browser, page }) => {
      guesses += 1;
      const answer = await submit(browser, page, `nobody-${guesses}@petstore.test`, 'guess');
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  console.log(JSON.stringify(counts));
}
