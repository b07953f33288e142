// A process of `hosts.test.ts`: opens the adapter, says so, and asks for admissions at once when it is told to.

import { postgresStores } from '../src/index.ts';

interface Task {
  readonly url: string;
  readonly request: { readonly accountId: string; readonly digest: string };
  readonly times: number;
  readonly now: number;
}

const task: Task = JSON.parse(process.argv[2] ?? '');
const { ports, close } = await postgresStores({ url: task.url }).open({
  clock: () => task.now,
  actor: () => ({ kind: 'service' }),
  dataFolder: '.petstore',
});
process.once('message', async () => {
  const decisions = await Promise.all(Array.from({ length: task.times }, () => ports.usage.admit(task.request, task.now)));
  process.send?.(decisions.map(({ kind }) => kind));
  await close?.();
  process.disconnect();
});
process.send?.('open');
