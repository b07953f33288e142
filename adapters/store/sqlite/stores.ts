// The embedded store: all ports on the file of one data folder.

import type { DatabaseSync } from 'node:sqlite';
import type { MemberStore } from '../../../core/access/ports.ts';
import type { AnswerStore } from '../../../core/answers/ports.ts';
import type { DomainStore } from '../../../core/domains/ports.ts';
import type { DomainQueue } from '../../../core/domains/queue.ts';
import type { ProjectStore } from '../../../core/projects/ports.ts';
import type { Stores } from '../../../core/stores.ts';
import { createSqliteAccountStore } from './accounts.ts';
import { createSqliteAnswerStore } from './answers.ts';
import { guarded, openDatabase } from './database.ts';
import { createSqliteDomainStore } from './domains.ts';
import { createSqliteMemberStore } from './members.ts';
import { createSqlitePetStore } from './pets.ts';
import { createSqliteProjectStore } from './projects.ts';
import { createSqliteUsageStore } from './usage.ts';

export interface SqliteStores extends Stores {
  readonly projects: ProjectStore;
  readonly domains: DomainStore & DomainQueue;
  readonly members: MemberStore;
  readonly answers: AnswerStore;
  /** For the embedded parts that keep tables of their own: edge map, certificates, the sandbox's records. */
  readonly database: DatabaseSync;
  /** Does the database answer? Costs next to nothing, whatever is in it. */
  isAnswering(): boolean;
  /** After this every port rejects with a StoreFault. Safe to repeat. */
  close(): void;
}

/** Opens the store of a data folder; makes it if it is not there. */
export function openSqliteStores(folder: string): SqliteStores {
  // Animals, accounts and keys must survive a power cut; counters of a minute and a day need not, and are written with
  // every request.
  const catalogue = openDatabase(folder, 'power_loss');
  const counters = openDatabase(folder, 'crash');
  const probe = catalogue.prepare('SELECT 1');
  return {
    pets: createSqlitePetStore(catalogue),
    accounts: createSqliteAccountStore(catalogue),
    usage: createSqliteUsageStore(counters),
    projects: createSqliteProjectStore(catalogue),
    domains: createSqliteDomainStore(catalogue),
    members: createSqliteMemberStore(catalogue),
    answers: createSqliteAnswerStore(catalogue),
    database: catalogue,
    isAnswering: () => guarded(() => probe.get() !== undefined),
    close: () => {
      for (const database of [counters, catalogue]) if (database.isOpen) database.close();
    },
  };
}
