// The deploy lane's emulator with its judge, for apps that install the package.

import { problemsOf, startFront } from '../../judge/index.ts';
import { ACCOUNT, ADMINISTRATOR, EMULATED, REGION, startEmulator } from '../deploy/emulator.ts';
import { createGapCloser } from '../deploy/gaps.ts';

export interface EmulatedAws {
  /** The variables that point the CDK at it. */
  readonly environment: Readonly<Record<string, string>>;
  /** What AWS would have refused. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

export { ACCOUNT, REGION };

/** Starts it, empty. */
export async function startEmulatedAws(): Promise<EmulatedAws> {
  const emulator = await startEmulator();
  const { adjust } = createGapCloser(emulator.endpoint, ADMINISTRATOR);
  const front = await startFront({ ...EMULATED, emulatorPort: emulator.port, port: emulator.frontPort, adjust });
  return {
    environment: emulator.environment,
    problems: () => problemsOf(front.record),
    stop: async () => {
      await front.stop();
      await emulator.stop();
    },
  };
}
