// The service models are in the emulator's Python environment.

import { prepareEmulator } from '../../emulator.ts';

export default function prepare(): void {
  prepareEmulator();
}
