// Lets an example run in the repository, without an installation: it uses the package's source, and the CDK of infra/.
//
//   node --import ./examples/from-source.ts examples/own-cdk-app/app.ts

import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const ENTRIES: Readonly<Record<string, string>> = { 'petstore-platform/infra': join(ROOT, 'package/infra.ts') };
const infra = createRequire(join(ROOT, 'infra/app.ts'));

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = ENTRIES[specifier];
    if (entry !== undefined) return { url: pathToFileURL(entry).href, shortCircuit: true };
    if (/^(aws-cdk-lib|constructs)(\/|$)/.test(specifier) && context.parentURL?.includes('/examples/'))
      return { url: pathToFileURL(infra.resolve(specifier)).href, shortCircuit: true };
    return next(specifier, context);
  },
});
