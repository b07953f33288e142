// The entry of the command line. Compiled code is kept between runs, which halves the time that a command takes to start;
// it has to be switched on before anything else is loaded.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./main.ts');
