// What several hosts share, as one machine has it in SQLite.

import { onTestFinished, test } from 'vitest';
import { createSqliteAcmeOrders, createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createSqliteEdgeMap, createSqliteOwnAddresses } from '../../../adapters/edge/sqlite-edge.ts';
import { createSqliteFactors } from '../../../adapters/identity/sqlite-factors.ts';
import { createSqliteProviderStore } from '../../../adapters/identity/sqlite-provider.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { acmeOrdersContract } from '../../../testing/acme-orders.ts';
import { certificateVaultContract } from '../../../testing/certificate-vault.ts';
import { ownAddressStoreContract } from '../../../testing/own-address-store.ts';
import { providerStoreContract } from '../../../testing/provider-store.ts';
import { sampleAccount } from '../../../testing/samples.ts';
import { servedMapContract } from '../../../testing/served-map.ts';
import { storeFaultContract } from '../../../testing/store-faults.ts';
import { testFolder } from '../../support/folders.ts';

const SQLITE = { name: 'SQLite' };

function open() {
  const stores = openSqliteStores(testFolder());
  onTestFinished(stores.close);
  return stores;
}

function openMap() {
  const { accounts, projects, database } = open();
  const addAccount = async (id: string) => void (await accounts.createAccount({ ...sampleAccount(), id }));
  return { database, projects, addAccount, map: createSqliteEdgeMap(database), another: () => createSqliteEdgeMap(database) };
}

acmeOrdersContract(test, () => ({ orders: createSqliteAcmeOrders(open().database) }), SQLITE);
certificateVaultContract(test, () => createSqliteVault(open().database), SQLITE);
ownAddressStoreContract(
  test,
  () => {
    const { database, ...world } = openMap();
    return { ...world, addresses: createSqliteOwnAddresses(database) };
  },
  SQLITE,
);
providerStoreContract(test, () => createSqliteProviderStore(open().database), SQLITE);
servedMapContract(test, openMap, SQLITE);
storeFaultContract(
  test,
  () => {
    const { database, audit, close } = open();
    const stores = {
      ...{ audit, factors: createSqliteFactors(database), signIns: createSqliteProviderStore(database) },
      ...{ edgeMap: createSqliteEdgeMap(database), ownAddresses: createSqliteOwnAddresses(database), certificates: createSqliteVault(database) },
    };
    close();
    return { stores, says: 'SQLite: ' };
  },
  { ...SQLITE, ports: ['audit', 'factors', 'signIns', 'edgeMap', 'ownAddresses', 'certificates'] },
);
