// Settings of the catalogue's function, from its environment.

import * as z from 'zod/mini';
import { onOff, parserOf, serviceName, table } from './environment.ts';

const schema = z.object({
  PETS_TABLE: table(),
  USAGE_TABLE: table(),
  CONTROL_TABLE: table(),
  SERVICE_NAME: z._default(serviceName(), 'petstore'),
  DRAFT_HEADERS: onOff(),
});

export type CatalogueEnvironment = z.input<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseCatalogueSettings = parserOf(schema);
