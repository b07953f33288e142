// placeholder until shared
import { join } from 'node:path';
export const VENV = join(import.meta.dirname, '../../.emulator');
