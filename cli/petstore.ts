// Entry point of the command line. Caching compiled code between runs halves the startup time; the cache must be enabled before anything else is
// loaded.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./main.ts');
