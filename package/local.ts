// `petstore-platform/local`: the service on one machine, for programs and tests that start it themselves.

import '../platforms/node-version.ts';

export { runServer, type ServerOptions } from '../local/run.ts';
export { type Service, startService } from '../local/service.ts';
export { parseSettings, type Settings, type SettingsResult } from '../platforms/embedded/settings.ts';
