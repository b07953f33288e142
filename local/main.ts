// `npm start`: the embedded service as a process.

import { Logger } from '@aws-lambda-powertools/logger';
import { parseSettings, type Settings } from '../platforms/embedded/settings.ts';
import { catchStrayFaults, containServer } from '../service/containment.ts';
import { folderProblem, startService } from './service.ts';

// Makes files that the service creates readable only by their owner.
process.umask(0o077);

// If the log's reader is gone, reporting this would only fail again.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const parsed = parseSettings(process.env);
if (parsed.ok) await run(parsed.settings);
else fail(`invalid settings:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);

async function run(settings: Settings): Promise<void> {
  const logger = new Logger({ serviceName: 'petstore', logLevel: settings.logLevel });
  const onFault = (error: unknown) => logger.error('fault of the host', { error });
  catchStrayFaults((error) => {
    onFault(error);
    process.exit(1);
  });
  const service = await containServer(onFault, () => startService(settings, logger, onFault, () => process.exit(1))).catch((error: Error) =>
    fail(error.message),
  );

  // A terminal's Ctrl-C arrives twice, from the terminal and from npm; the second one does nothing.
  const stop = async () => {
    await service.stop();
    process.exitCode = 0;
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const problem = folderProblem(settings.dataFolder);
  if (problem !== undefined) console.error(`petstore: ${problem}`);
  const { url, publicUrl = url, edge, demo } = service;
  if (demo !== undefined) {
    console.log(`First start: made the account Demo (plan pro). Its API key, shown only now:\n  ${demo.key}`);
    console.log(`and a user for the dashboard, whose password is shown only now:\n  ${demo.email}  ${demo.password}`);
  }
  console.log(`custom domains at ${edge}`);
  const also = publicUrl === url ? '' : `public address: ${publicUrl}, `;
  console.log(`petstore ready at ${url} (${also}dashboard: ${publicUrl}/, reference: ${publicUrl}/docs, data: ${settings.dataFolder})`);
}

function fail(message: string): never {
  console.error(`petstore: ${message}`);
  process.exit(1);
}
