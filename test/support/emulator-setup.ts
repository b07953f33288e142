// Installs the emulator's Python environment before a run of tests, once.

import { prepareEmulator } from './emulator-python.ts';

export default function setup(): void {
  prepareEmulator();
}
