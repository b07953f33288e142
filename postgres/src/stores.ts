// All stores on one database.

import type { AdapterPorts } from 'petstore-platform';
import { createAccountStore } from './accounts.ts';
import { createAnswerStore } from './answers.ts';
import type { Database } from './database.ts';
import { createPetStore } from './pets.ts';
import { createUsageSurvey } from './survey.ts';
import { createUsageStore } from './usage.ts';
import { createUserRequests } from './user-requests.ts';

export type PostgresStores = Pick<AdapterPorts, 'pets' | 'accounts' | 'usage' | 'usageSurvey' | 'answers' | 'userRequests'>;

/** Creates the stores. @param database already migrated */
export function createStores(database: Database): PostgresStores {
  return {
    pets: createPetStore(database),
    accounts: createAccountStore(database),
    usage: createUsageStore(database),
    usageSurvey: createUsageSurvey(database),
    answers: createAnswerStore(database),
    userRequests: createUserRequests(database),
  };
}
