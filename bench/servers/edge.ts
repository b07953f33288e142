// The edge in a separate process. Arguments: folder, number of domains. Prints its port, and its memory usage for each line on standard input.

import { generateKeyPairSync } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createSqliteVault } from '../../adapters/certificates/sqlite-vault.ts';
import { startEdgeServer } from '../../adapters/edge/server.ts';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-map.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';

const [folder = '', count = '10'] = process.argv.slice(2);
const stores = openSqliteStores(folder);
const vault = createSqliteVault(stores.database);
const map = createSqliteEdgeMap(stores.database);
const authority = await createDevelopmentAuthority(folder, vault, Date.now);
for (let n = 0; n < Number(count); n += 1) {
  const host = `d${n}.bench.test`;
  map.set(host, { projectId: 'prj_1', certificate: await authority.request(host, `dom_${n}-g1`) });
}
// The key pair is generated in advance, so that no library is loaded during the measurement.
generateKeyPairSync('ec', { namedCurve: 'P-256' });
const edge = await startEdgeServer({
  host: '127.0.0.1',
  httpPort: 0,
  httpsPort: 0,
  map,
  vault,
  projects: stores.projects,
  sites: createFolderSiteStore(folder),
  onFault: (error) => console.error(error),
  clock: Date.now,
  onLimit: (message) => console.error(message),
});
console.log(`ready at ${edge.httpsPort}`);
createInterface({ input: process.stdin }).on('line', () => {
  globalThis.gc?.();
  console.log(`memory ${process.memoryUsage().rss}`);
});
