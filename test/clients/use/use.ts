// Uses the clients that OpenAPI Generator makes for TypeScript (typescript-fetch).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { AnimalsApi, Configuration as CatalogueConfiguration, type Pet } from './catalogue/index';
import { Configuration, DomainsApi, ProjectsApi, UserApi } from './control/index';

const { PETSTORE_URL: url = '', PETSTORE_CATALOGUE_URL: catalogueUrl = '', PETSTORE_CONTROL_URL: controlUrl = '' } = process.env;
const { PETSTORE_KEY: key = '', PETSTORE_TOKEN: token = '' } = process.env;

/** Creates animals, then lists all of them, page by page. */
async function useCatalogue(): Promise<void> {
  const animals = new AnimalsApi(new CatalogueConfiguration({ basePath: catalogueUrl, accessToken: key }));
  const created: number[] = [];
  for (const name of ['Ada', 'Bo', 'Cleo']) created.push((await animals.createPet({ newPet: { name, categoryId: 1 } })).id);
  const listed: Pet[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await animals.listPetsRaw({ limit: 2, ...(cursor !== undefined && { cursor }) });
    listed.push(...(await page.value()));
    pages += 1;
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(page.raw.headers.get('link') ?? '')?.[1];
  } while (cursor !== undefined);
  const ids = listed.map(({ id }) => id);
  assert.ok(pages > 1 && created.every((id) => ids.includes(id)), `${pages} pages, ${ids} without ${created}`);
}

/** Publishes a site, then adds a domain to it. */
async function useControl(): Promise<void> {
  const configuration = new Configuration({ basePath: controlUrl, accessToken: token });
  const projects = new ProjectsApi(configuration);
  const { accountId = '' } = (await new UserApi(configuration).getMe()).accounts[0] ?? {};
  const { projectId } = await projects.createProject({ accountId, projectInput: { name: 'TypeScript' } });
  const content = Buffer.from('<h1>TypeScript</h1>');
  const file = { name: 'index.html', bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  const { deploymentId } = await projects.beginUpload({ projectId, uploadInput: { files: [file] } });
  for (const target of (await projects.listUploadTargets({ projectId, deploymentId })).targets) {
    const headers = { ...target.headers, authorization: `Bearer ${token}` };
    assert.ok((await fetch(url + target.url, { method: 'PUT', headers, body: content })).ok);
  }
  await projects.publishUpload({ projectId, deploymentId });
  assert.equal((await projects.listDeployments({ projectId }))[0]?.deploymentId, deploymentId);
  const domain = await new DomainsApi(configuration).addDomain({ projectId, domainInput: { host: 'www.typescript-pets.com' } });
  assert.ok(domain.state === 'awaiting_dns' && domain.records.length > 0, domain.state);
}

void useCatalogue().then(useControl);
