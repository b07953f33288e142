// The AWS emulator: one Python process in a separate environment, bound to the loopback interface, on a free port.

import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Emulated } from '../../judge/index.ts';
import { EMULATOR_PYTHON, prepareEmulator } from '../support/emulator-python.ts';
import { freeDnsPort, freePort } from '../support/ports.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOG = join(ROOT, 'emulator.log');
/** A busy machine takes longer to start it; an emulator that can't start exits. */
const START_MINUTES = 10;

/** The account that the emulator simulates. */
export const ACCOUNT = '000000000000';
/** The stages' region, and one that has a stage a second time. */
export const REGION = 'us-east-1';
export const SECOND_REGION = 'us-west-2';
/** Credentials of the account's administrator, who may do anything. */
export const ADMINISTRATOR = { accessKeyId: 'test', secretAccessKey: 'test' };

/** What the judge has to know about this emulator, ministack. */
export const EMULATED: Emulated = {
  account: ACCOUNT,
  administrator: ADMINISTRATOR,
  functions: {
    regions: [REGION, SECOND_REGION],
    // It derives a function's credentials from its ARN and its role's.
    keyOf: (arn, roleArn) => `ASIA${hash('sha256', `${arn}:${roleArn}`).slice(0, 16).toUpperCase()}`,
  },
  unknownToItsIam: /^(?:cloudfront|cloudfront-keyvaluestore|sesv2):|^ssm:GetParametersByPath$/,
  python: EMULATOR_PYTHON,
};

/** Maximum number of concurrent connections: each is a separate Node process on this machine. */
export const CONNECTIONS = 16;

/** The emulator's gaps, except those in gaps.ts, and how the run works around them. Printed at the end of each run. */
export const GAPS: readonly { readonly gap: string; readonly instead: string }[] = [
  {
    gap: 'certificates are issued and tenants active at once; a managed certificate is unknown to ACM; nothing is served on tenants',
    instead: 'waits and failures are tested with mocked clients (test/adapters); the functions in front of the cache run in test/adapters/edge',
  },
  {
    gap: "an HTTP API's CORS configuration from a template is stored in a form that its own gateway can't read",
    instead: 'the run sets the same configuration with UpdateApi',
  },
  { gap: 'DynamoDB never throttles, and Lambda has no cold-start delay of its own', instead: 'faults come from mocked clients (test/adapters)' },
  { gap: 'each concurrent request needs its own Node process on this machine', instead: `at most ${CONNECTIONS} connections at a time` },
  {
    gap: 'its IAM denies every role access to distribution tenants, the KeyValueStore, SES and parameters by path',
    instead: "the judge decides by the deployed policies, and forwards these calls with the administrator's credentials",
  },
  { gap: 'alarms, X-Ray, log retention and PITR are accepted, but do nothing', instead: 'infra/test checks them in the templates' },
];

export interface Emulator {
  readonly port: number;
  /** The port for the judge, which all clients call. */
  readonly frontPort: number;
  /** The port for the run's own name server. */
  readonly dnsPort: number;
  readonly endpoint: string;
  /** The environment variables that point the AWS SDK and the CDK at it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The factor by which the state machine's waits are shortened. */
const WAIT_SCALE = 0.02;
/** The run's domains have names below this suffix, in a zone that the run itself serves. */
export const DNS_SUFFIX = 'dev';

/** Starts the emulator, and returns once it answers. */
export async function startEmulator(): Promise<Emulator> {
  const programs = prepareEmulator();
  const port = await freePort();
  const dnsPort = await freeDnsPort();
  const frontPort = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const front = `http://127.0.0.1:${frontPort}`;
  // The store's client adds the account id to the host name, so the endpoint must be a name.
  const names = {
    AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: `http://localhost:${frontPort}`,
    NODE_OPTIONS: `--import ${new URL('../../judge/localhost-names.ts', import.meta.url).href}`,
  };
  const child = spawn(join(programs, 'python'), [join(import.meta.dirname, 'start-ministack.py')], {
    env: {
      ...process.env,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      // The environments started for a burst end soon after it.
      LAMBDA_WARM_TTL_SECONDS: '20',
      SFN_WAIT_SCALE: String(WAIT_SCALE),
      // These two would listen on all interfaces.
      IOT_MTLS_ENABLED: 'false',
      SFTP_ENABLED: 'false',
      // Each role has its own credentials, and policies are enforced.
      AUTH: 'true',
      AWS_ACCESS_KEY_ID: ADMINISTRATOR.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ADMINISTRATOR.secretAccessKey,
      // Functions call AWS through the judge, like all clients.
      AWS_ENDPOINT_URL: front,
      ...names,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(LOG);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  await healthy(endpoint, child);
  return {
    port,
    frontPort,
    dnsPort,
    endpoint,
    environment: {
      AWS_ENDPOINT_URL: front,
      AWS_ACCESS_KEY_ID: ADMINISTRATOR.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ADMINISTRATOR.secretAccessKey,
      AWS_REGION: REGION,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      // `npm run synth` and infra/test have done it: it would take more than half of each of 16 syntheses.
      CDK_VALIDATION: 'false',
      ...names,
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
        await ended;
        clearTimeout(patience);
      }
      log.end();
    },
  };
}

async function healthy(endpoint: string, child: ChildProcess): Promise<void> {
  for (const end = Date.now() + START_MINUTES * 60_000; Date.now() < end; ) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(
    `the emulator did not get ready within ${START_MINUTES} minutes; its last lines (${LOG}):\n${readFileSync(LOG, 'utf8').slice(-2_000)}`,
  );
}
