// The Python environment of the AWS emulator, which brings botocore's service models with it.

import { join } from 'node:path';
import { preparePython } from './python.ts';

const ROOT = join(import.meta.dirname, '../..');

export const EMULATOR_PYTHON = join(ROOT, '.emulator');

/** Installs the emulator, unless it is installed. @returns the folder of its programs */
export function prepareEmulator(): string {
  return preparePython({ folder: EMULATOR_PYTHON, requirements: join(ROOT, 'test/deploy/requirements.txt'), command: 'npm run test:deploy' });
}
