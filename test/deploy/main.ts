// `npm run test:deploy`: runs lane.ts with the same arguments. Everything that the lane starts is in its process group, which ends when the lane has
// ended, when it has crashed, or when this process is asked to end. If this process is killed, the lane ends its group itself.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'petstore-deploy-'));
const lane = spawn(process.execPath, [join(import.meta.dirname, 'lane.ts'), ...process.argv.slice(2)], {
  detached: true,
  // What is killed does not remove its temporary files.
  env: { ...process.env, TMPDIR: folder },
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endGroup);
const [code] = await once(lane, 'exit');
endGroup();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exitCode = code ?? 1;

function endGroup(): void {
  try {
    process.kill(-Number(lane.pid), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
