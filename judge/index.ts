// The judge: a proxy in front of an AWS emulator (README.md). Other folders import only this file, rules.ts and localhost-names.ts.

export { type Emulated, startFront } from './front.ts';
export { type PlacedStatement, readStatements } from './principals.ts';
export { countsOf, problemsOf, WRONG_ROLE_PREFIX } from './record.ts';
export { createServiceModels } from './service-models.ts';
export { type Credentials, signed } from './sign.ts';
export { type Explained, unusedPermissions } from './unused.ts';
export { unchunked } from './wire/body.ts';
export { type Call, readCall } from './wire/call.ts';
export type { WireRequest } from './wire/request.ts';
