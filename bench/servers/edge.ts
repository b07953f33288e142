// The edge in a separate process. Arguments: folder, number of domains, and a folder of files that all of them serve. Prints its port, and its memory
// usage for each line on standard input.

import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { startEdgeServer } from '../../adapters/edge/server.ts';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-edge.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createKeptForms } from '../../adapters/sites/kept-forms.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { makeProject } from '../../testing/projects.ts';

const [folder = '', count = '10', files] = process.argv.slice(2);
const stores = openSqliteStores(folder);
const vault = createSqliteVault(stores.database);
const map = createSqliteEdgeMap(stores.database);
const sites = createFolderSiteStore(folder);
const authority = await createDevelopmentAuthority(folder, vault, Date.now);
const project = await makeProject(stores);
if (files !== undefined) {
  const deployment = { id: 'dpl_bench', projectId: project.id };
  for (const name of readdirSync(files).sort())
    await sites.put(deployment, name, createReadStream(join(files, name)), statSync(join(files, name)).size);
  await stores.projects.deploy({ ...deployment, createdAt: 0, files: 0, bytes: 0 });
}
for (let n = 0; n < Number(count); n += 1) {
  const host = `d${n}.bench.test`;
  map.set(host, { projectId: project.id, certificate: await authority.request(host, `dom_${n}-g1`) });
}
// The key pair is generated in advance, so that no library is loaded during the measurement.
generateKeyPairSync('ec', { namedCurve: 'P-256' });
const edge = await startEdgeServer({
  host: '127.0.0.1',
  httpPort: 0,
  httpsPort: 0,
  map,
  vault,
  sites,
  forms: createKeptForms(folder, { clock: Date.now, onFault: (error) => console.error(error) }),
  onFault: (error) => console.error(error),
  clock: Date.now,
  onLimit: (message) => console.error(message),
});
console.log(`ready at ${edge.httpsPort}`);
createInterface({ input: process.stdin }).on('line', () => {
  globalThis.gc?.();
  console.log(`memory ${process.memoryUsage().rss}`);
});
