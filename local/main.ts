// `npm start`: starts the embedded service.

import '../platforms/compile-cache.ts';

// Imported dynamically, because static imports are all compiled before any of them runs.
const { runServer } = await import('./run.ts');
await runServer(process.env);
