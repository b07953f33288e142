// `npm start`: starts the embedded service.

import { runServer } from './run.ts';

await runServer(process.env);
