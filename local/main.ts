// `npm start`: starts the embedded service.

import '../platforms/compile-cache.ts';

// Loaded afterwards: all that is imported statically is compiled before any of it runs.
const { runServer } = await import('./run.ts');
await runServer(process.env);
