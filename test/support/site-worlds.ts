// Both hosts of a project's files, as visitors see them: the edge of one machine over TLS, and CloudFront with S3 and the failover function.

import { request } from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import type { Redirect } from '../../core/domains/redirects.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import type { Deployment, Project } from '../../core/projects/project.ts';
import { StoreFault } from '../../core/refusal.ts';
import { currentOf, nextNumber, sampleProject } from '../../testing/projects.ts';
import { createCloudFront } from './cloudfront.ts';
import { startTestEdge } from './edge.ts';
import { njsInstalled } from './edge-runtimes.ts';
import { STORE_ARN } from './memory-aws/key-value-store.ts';
import { MemoryAws } from './memory-aws.ts';
import { type OriginRequest, type OriginResponse, s3Objects } from './s3-objects.ts';

export const HOST = 'www.site.test';
export const OLD_HOST = 'old.site.test';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface Asked {
  /** @default GET */
  readonly method?: string;
  /** @default HOST */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SiteWorld {
  /** Makes these files the project's current deployment. Files are named as in a folder. */
  deploy(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
  redirect(redirect: Redirect): Promise<void>;
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** Makes the storage of files fail. */
  failStorage(fails: boolean): void;
  /** The ids that no visitor should see. */
  readonly secrets: readonly string[];
  stop(): Promise<void>;
}

const put = async (sites: SiteStore, deployment: Deployment, files: Readonly<Record<string, string | Buffer>>) => {
  for (const name of Object.keys(files).sort()) {
    const content = Buffer.from(files[name] ?? '');
    await sites.put(deployment, name, Readable.from([content]), content.length);
  }
};

const newDeployment = (projectId: string): Deployment => ({ id: `dpl_site${nextNumber()}`, projectId, createdAt: 0, files: 0, bytes: 0 });

/** The edge of one machine. */
export async function startMachine(): Promise<SiteWorld> {
  let failing = false;
  let folder: SiteStore | undefined;
  const fault = () => new StoreFault('unavailable', 'the disk failed');
  const edge = await startTestEdge({
    files: {},
    sites: {
      put: async () => {},
      get: async (deployment, name) => (failing ? Promise.reject(fault()) : folder?.get(deployment, name)),
    },
  });
  folder = createFolderSiteStore(edge.folder);
  const sites = folder;
  const { project, stores } = edge;
  const secrets = [project.id];
  await edge.serve(HOST);
  await edge.serve(OLD_HOST);
  return {
    secrets,
    deploy: async (files) => {
      const deployment = newDeployment(project.id);
      secrets.push(deployment.id);
      await put(sites, deployment, files);
      await stores.projects.deploy(deployment);
    },
    redirect: async (redirect) => void (await stores.projects.putConfiguration(project.id, { domains: { redirects: [redirect] } })),
    ask: (path, { method = 'GET', host = HOST, headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: edge.httpsPort, servername: host, ca: edge.ca, agent: false };
        request({ ...options, path, method, headers: { host, ...headers } }, async (response) => {
          const { statusCode: status = 0, headers: own } = response;
          // The edge of a test is not at port 443.
          const location = own.location === undefined ? {} : { location: own.location.replace(`:${edge.httpsPort}`, '') };
          resolve({ status, headers: { ...own, ...location } as Answer['headers'], body: await buffer(response) });
        })
          .once('error', reject)
          .end();
      }),
    failStorage: (fails) => {
      failing = fails;
    },
    stop: () => edge.stop(),
  };
}

export interface AwsWorld extends SiteWorld {
  /** How many requests have reached the failover function. */
  readonly failovers: () => number;
  /** Lets seconds pass for CloudFront's cache. */
  wait(seconds: number): void;
}

/** CloudFront, with the real function in front of the cache, uploads by the real adapter, and the real failover function. */
export async function startAws(): Promise<AwsWorld> {
  const bucket = s3Objects();
  const aws = new MemoryAws();
  const map = createKeyValueMap(aws.keyValueStore, STORE_ARN);
  const environment = { SITES_BUCKET: 'sites', SERVICE_NAME: 'test', AWS_REGION: 'us-east-1', POWERTOOLS_LOG_LEVEL: 'SILENT' };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { handler } = await import('../../functions/edge-failover.ts');
  const { S3Client } = await import('@aws-sdk/client-s3');
  const sites = createS3SiteStore(new S3Client({ region: 'us-east-1' }), 'sites');
  let project: Project = sampleProject();
  let seconds = 0;
  let failovers = 0;

  async function secondary({ method, path, headers }: OriginRequest): Promise<OriginResponse> {
    failovers += 1;
    const event = { rawPath: path, headers, requestContext: { http: { method } } } as unknown as LambdaFunctionURLEvent;
    const answer = await handler(event);
    if (typeof answer === 'string') throw new Error('a response without a status');
    const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8');
    const own = { ...(answer.headers as Record<string, string>), 'content-length': String(body.length) };
    return { status: answer.statusCode ?? 0, headers: own, body: method === 'HEAD' ? Buffer.alloc(0) : body };
  }

  const ask = createCloudFront({
    runtime: njsInstalled ? 'njs' : 'node',
    map: () => Object.fromEntries(aws.keys),
    primary: bucket.request,
    secondary,
    clock: () => seconds,
    errorSeconds: 1,
  });
  const publish = async (change: Partial<Project>) => {
    project = { ...project, ...change };
    await map.publish(project, currentOf(project, [HOST, OLD_HOST]));
  };
  const secrets = [project.id];
  return {
    secrets,
    deploy: async (files) => {
      const deployment = newDeployment(project.id);
      secrets.push(deployment.id);
      await put(sites, deployment, files);
      await publish({ currentDeploymentId: deployment.id });
    },
    redirect: (redirect) => publish({ configuration: { domains: { redirects: [redirect] } } }),
    ask: (path, { method = 'GET', host = HOST, headers = {} } = {}) => ask({ method, host, path, headers }),
    failStorage: (fails) => {
      bucket.failure = fails ? 503 : undefined;
    },
    failovers: () => failovers,
    wait: (passed) => {
      seconds += passed;
    },
    stop: async () => void vi.unstubAllEnvs(),
  };
}
