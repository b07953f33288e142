// An owner's way on the emulated AWS. It lacks Cognito's sign-in pages, which a stand-in replaces; the tokens are those of the stage's pool. It serves
// nothing on tenants: a page is what the function in front of the cache finds in the edge map and S3.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFrontKeyValueStoreClient, ListKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
// Signs for all regions at once (SigV4A).
import '@aws-sdk/signature-v4a';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { startSandboxServer } from '../../adapters/dns/sandbox-server.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { allPages } from '../../testing/suite.ts';
import { type OwnersHost, ownerJourney } from '../e2e/owner-journey.ts';
import { collect } from '../support/children.ts';
import { startCognitoStandIn } from '../support/cognito-stand-in.ts';
import { runEdgeFunction } from '../support/edge-runtimes.ts';
import { makeFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { runCliJson, startCli } from '../support/processes.ts';
import type { ControlOutputs } from './cdk.ts';
import { DNS_SUFFIX } from './emulator.ts';
import { signInAs } from './users.ts';

const STAGE = String(process.env.E2E_STAGE);
const VIEWER_REQUEST = readFileSync(join(import.meta.dirname, '../../adapters/edge/viewer-request.js'), 'utf8');

ownerJourney(startDeployed);

async function startDeployed(): Promise<OwnersHost> {
  const folder = makeFolder();
  const email = 'ann@example.com';
  const domain = `www.journey.${DNS_SUFFIX}`;
  const control = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
  // An AWS account in SES's sandbox sends to verified addresses only.
  await new SESv2Client({}).send(new CreateEmailIdentityCommand({ EmailIdentity: email }));
  const { access } = await signInAs(email, control);
  const redirectUris = [`http://localhost:${await freePort()}/callback`];
  const provider = await startCognitoStandIn({ redirectUris, email, accessToken: async () => access, dashboard: control.url });
  let records: SandboxRecord[] = [];
  const dns = await startSandboxServer({
    host: '127.0.0.1',
    port: Number(process.env.STAGING_DNS_PORT),
    suffix: DNS_SUFFIX,
    records: () => records,
    edge: { host: String(process.env.STAGING_EDGE_NAME), address: '127.0.0.1' },
  });
  const { Parameters = [] } = await new SSMClient({}).send(new GetParametersByPathCommand({ Path: parameterPath(STAGE, 'edge') }));
  const parameter = (name: string) => Parameters.find(({ Name }) => Name?.endsWith(`/${name}`))?.Value ?? '';
  return {
    url: provider.url,
    email,
    domain,
    logIn: async (environment) => {
      const child = startCli('/nonexistent', ['login', '--url', provider.url, '--no-browser', '--json'], environment);
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      const closed = once(child, 'close');
      while (!/https?:\S+/.test(stderr()) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
      const { status } = await fetch(/https?:\S+/.exec(stderr())?.[0] ?? '');
      if (status !== 200) throw new Error(`the last page of the sign-in was ${status}`);
      const [code] = await closed;
      return { code, stdout: stdout(), stderr: stderr() };
    },
    operate: (...args) => runCliJson(folder.path, ['--stage', STAGE, ...args]),
    setCname: async (value) => {
      records = [{ name: domain, type: 'CNAME', value, ttl: 60 }];
    },
    page: (host, path) => pageOf({ bucket: parameter('bucket'), map: parameter('map') }, host, path),
    mails: async () => {
      const { messages } = (await (await fetch(String(process.env.E2E_MAILS))).json()) as {
        messages: Record<string, { To: string[]; Subject: string }[]>;
      };
      return Object.values(messages)
        .flat()
        .filter(({ To }) => To.includes(email))
        .map(({ Subject }) => Subject);
    },
    stop: async () => {
      await Promise.all([provider.stop(), dns.stop()]);
      folder.remove();
    },
  };
}

/** What a visitor would get, if CloudFront were there. */
async function pageOf({ bucket, map }: { readonly bucket: string; readonly map: string }, host: string, uri: string): Promise<string> {
  const event = { request: { method: 'GET', uri, querystring: {}, headers: { host: { value: host } } } };
  const [answer] = (await runEdgeFunction('node', VIEWER_REQUEST, [event], await entriesOf(map))) as { uri?: string; body?: string }[];
  if (answer?.uri === undefined) return answer?.body ?? '';
  const { Body } = await new S3Client({ forcePathStyle: true }).send(
    new GetObjectCommand({ Bucket: bucket, Key: decodeURIComponent(answer.uri).slice(1) }),
  );
  return (await Body?.transformToString()) ?? '';
}

/** The edge map. */
async function entriesOf(KvsARN: string): Promise<Record<string, string>> {
  const client = new CloudFrontKeyValueStoreClient({});
  const items = await allPages(async (NextToken: string | undefined) => {
    const { Items = [], NextToken: next } = await client.send(new ListKeysCommand({ KvsARN, MaxResults: 50, NextToken }));
    return { items: Items, next };
  });
  return Object.fromEntries(items.map(({ Key = '', Value = '' }) => [Key, Value]));
}
