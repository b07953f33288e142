// What the catalogue's handlers get.

import type { Caller } from '../admission/authenticate.ts';
import type { Call, Event } from '../http/call.ts';
import type { CatalogueOperation } from './operations.ts';

export type CatalogueCall = Call<CatalogueOperation, Caller>;
export type CatalogueEvent = Event<CatalogueOperation, Caller>;
