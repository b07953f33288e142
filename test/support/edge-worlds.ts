// Both edges as requests see them: the embedded edge over HTTPS, and CloudFront through the function that it runs for each request.

import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createCloudFrontEdge, createTenants } from '../../adapters/edge/cloudfront.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { startEdgeServer } from '../../adapters/edge/server.ts';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-edge.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createKeptForms } from '../../adapters/sites/kept-forms.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { EdgeWorld } from '../../testing/edge.ts';
import type { Answer, EdgeMapWorld } from '../../testing/edge-map.ts';
import { nextNumber } from '../../testing/projects.ts';
import { sampleAccount } from '../../testing/samples.ts';
import { sourceOf } from './edge-function-cases.ts';
import { runEdgeFunction } from './edge-runtimes.ts';
import { makeInstallation } from './folders.ts';
import { STORE_ARN } from './memory-aws/key-value-store.ts';
import { MemoryAws } from './memory-aws.ts';

type World = EdgeWorld & {
  /** The map on its own, as the command line uses it. */
  readonly asMap: EdgeMapWorld;
};

/** The embedded edge, listening on free ports. */
export async function startEmbeddedWorld(): Promise<World> {
  const folder = makeInstallation();
  const { accounts, projects, database, close } = openSqliteStores(folder.path);
  const vault = createSqliteVault(database);
  const authority = await createDevelopmentAuthority(folder.path, vault, Date.now);
  const sites = createFolderSiteStore(folder.path);
  const map = createSqliteEdgeMap(database);
  const faults: unknown[] = [];
  const server = await startEdgeServer({
    ...{ host: '127.0.0.1', httpPort: 0, httpsPort: 0, map, vault, sites, clock: Date.now },
    forms: createKeptForms(folder.path, { clock: Date.now, onFault: (error) => faults.push(error) }),
    onFault: (error) => faults.push(error),
    onLimit: (message) => faults.push(message),
  });
  const { edge, httpsPort } = server;
  const references = new Map<string, string>();
  const serialOf = (certificate: X509Certificate | undefined) => certificate?.serialNumber ?? '';
  const newCertificate = async (host: string) => {
    const reference = await authority.request(host, `dom_${nextNumber()}`);
    references.set(serialOf(new X509Certificate(vault.get(reference)?.chain ?? '')), reference);
    return reference;
  };

  async function askOne(host: string): Promise<Answer> {
    const options = { host: '127.0.0.1', port: httpsPort, servername: host, headers: { host }, rejectUnauthorized: false, agent: false };
    const response = await new Promise<IncomingMessage | undefined>((resolve) => {
      request(options, resolve)
        .once('error', () => resolve(undefined))
        .end();
    });
    if (response === undefined) return { kind: 'refused' };
    const { statusCode: status = 0, headers } = response;
    const body = await text(response);
    if (headers.location !== undefined) return { kind: 'redirect', to: new URL(headers.location).hostname, status };
    const [projectId = '', deploymentId = ''] = body.split(' ');
    return status === 200 ? { kind: 'page', projectId, deploymentId } : { kind: 'nothing_published' };
  }

  const common: Omit<EdgeMapWorld, 'map' | 'serve'> = {
    another: () => createSqliteEdgeMap(database),
    store: async (project) => {
      const { id, accountId, currentDeploymentId, configuration } = project;
      if ((await projects.getProject(id)) === undefined) {
        await accounts.createAccount({ ...sampleAccount(), id: accountId });
        await projects.createProject({ ...project, currentDeploymentId: undefined });
      }
      await projects.putConfiguration(id, configuration);
      if (currentDeploymentId === undefined || (await projects.setCurrentDeployment(id, currentDeploymentId, 0))) return;
      const page = `${id} ${currentDeploymentId}`;
      const deployment = { id: currentDeploymentId, projectId: id, createdAt: 0, files: 1, bytes: page.length };
      await sites.put(deployment, 'index.html', Readable.from([Buffer.from(page)]), page.length);
      await projects.deploy(deployment);
    },
    ask: (hosts) => Promise.all(hosts.map(askOne)),
    stop: async () => {
      await server.stop();
      close();
      folder.remove();
      if (faults.length > 0) throw new AggregateError(faults, 'faults of the edge');
    },
  };
  const serve: EdgeMapWorld['serve'] = async (domain, current) => {
    await edge.attach(domain, current, references.values().next().value ?? (await newCertificate(domain.host)));
  };
  return {
    ...{ ...common, map: edge, edge, serve, newCertificate, makes: false },
    asMap: { ...common, map, serve },
    certificateAt: (host) =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: host, rejectUnauthorized: false }, () => {
          resolve(references.get(serialOf(socket.getPeerX509Certificate())));
          socket.destroy();
        }).once('error', reject);
      }),
  };
}

/** CloudFront in memory; requests run the deployed function in Node. @param targetsBelow as of createKeyValueMap */
export async function makeAwsWorld(targetsBelow?: string): Promise<World> {
  const aws = new MemoryAws();
  const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage: 'test' });
  const newMap = () => createKeyValueMap(aws.keyValueStore, STORE_ARN, { targetsBelow });
  const map = newMap();
  const edge = createCloudFrontEdge(tenants, map);
  const newCertificate = async () => `arn:aws:acm:us-east-1:123456789012:certificate/${nextNumber()}`;
  // The map itself contains the deployment.
  const store = async () => {};
  const ask: EdgeMapWorld['ask'] = async (hosts) => {
    const events = hosts.map((host) => ({ request: { uri: '/', querystring: {}, headers: { host: { value: host } } } }));
    return (await runEdgeFunction('node', sourceOf('viewer-request.js'), events, Object.fromEntries(aws.keys))).map(answerOf);
  };
  const tenantOf = (host: string) => [...aws.tenants.values()].find(({ Domains }) => Domains.some(({ Domain }) => Domain === host));
  return {
    ...{ map: edge, edge, another: newMap, store, newCertificate, makes: true },
    // Without an enabled tenant, no request reaches the function.
    ask: async (hosts) => (await ask(hosts)).map((answer, n) => (tenantOf(String(hosts[n]))?.Enabled ? answer : { kind: 'refused' })),
    serve: async (domain, current) => edge.attach(domain, current, await newCertificate()),
    asMap: { map, another: newMap, store, ask, serve: ({ host, projectId }, current) => map.publish({ id: projectId }, current, [host]) },
    certificateAt: async (host) => tenantOf(host)?.Customizations?.Certificate?.Arn,
  };
}

function answerOf(answer: unknown): Answer {
  const { uri = '', statusCode: status, headers } = answer as { uri?: string; statusCode?: number; headers?: { location?: { value: string } } };
  if (status === 421) return { kind: 'refused' };
  if (status === 404) return { kind: 'nothing_published' };
  if (status !== undefined) return { kind: 'redirect', to: new URL(headers?.location?.value ?? '').hostname, status };
  const [, projectId = '', deploymentId = ''] = uri.split('/');
  return { kind: 'page', projectId, deploymentId };
}
