// Assembles the adapters for the domain workflow on AWS.

import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createDnsValidatedAuthority } from '../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority, createManagedAuthority } from '../../adapters/certificates/aws.ts';
import { createDnsLookup } from '../../adapters/dns/lookup.ts';
import { createRoute53Zones } from '../../adapters/dns/route53-zones.ts';
import { createCloudFrontEdge, createTenants } from '../../adapters/edge/cloudfront.ts';
import { createTurns } from '../../adapters/edge/key-value-changes.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createCloudFrontLogs } from '../../adapters/sites/cloudfront-logs.ts';
import { createS3Uploads } from '../../adapters/sites/s3.ts';
import { createDynamoDbAccountStore } from '../../adapters/store/dynamodb/accounts.ts';
import { type AuditWrites, createAuditWrites, createDynamoDbAuditLog } from '../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbDomainStore } from '../../adapters/store/dynamodb/domains.ts';
import { createDynamoDbOrderLimiter } from '../../adapters/store/dynamodb/order-limiter.ts';
import { createDynamoDbProjectStore } from '../../adapters/store/dynamodb/projects.ts';
import { createDynamoDbFileRemovalStore, createDynamoDbSweepStore } from '../../adapters/store/dynamodb/sweeps.ts';
import { createDynamoDbTrafficStore } from '../../adapters/store/dynamodb/usage/traffic.ts';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import type { Actor } from '../../core/audit/entry.ts';
import { isGone } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import type { domainSettings, FunctionSettings } from './function-settings.ts';
import { paced, SWEEP_RATES } from './pace.ts';
import { CLOUDFRONT, KEY_VALUE_STORE } from './platform.ts';
import { createAwsPublisher } from './publisher.ts';

type DomainSettings = FunctionSettings<typeof domainSettings>;

const createClients = () => ({
  dynamoDb: createDynamoDbClients().retrying,
  acm: new ACMClient(CLOUDFRONT),
  cloudFront: new CloudFrontClient(CLOUDFRONT),
  keyValueStore: new CloudFrontKeyValueStoreClient(KEY_VALUE_STORE),
  route53: new Route53Client(CLOUDFRONT),
});

/** Creates the adapters for the steps of the domain workflow. @param actor who makes the changes, for the audit log */
export function createAwsWork(settings: DomainSettings, actor: () => Actor): DomainWork {
  return workWith(settings, createClients(), createAuditWrites(settings.AUDIT_TABLE, { actor }));
}

/** @param patienceMs how long to keep trying a change to the edge map. @default the time limit of a request */
function workWith(settings: DomainSettings, clients: ReturnType<typeof createClients>, audit: AuditWrites, patienceMs?: number): DomainWork {
  const { CONTROL_TABLE: controlTable } = settings;
  const { dynamoDb, acm } = clients;
  const domains = createDynamoDbDomainStore(dynamoDb, controlTable, audit);
  const tenants = createTenants(clients.cloudFront, {
    distributionId: settings.DISTRIBUTION_ID,
    connectionGroup: settings.CONNECTION_GROUP,
    stage: settings.STAGE,
  });
  const zones = createRoute53Zones(clients.route53, settings.ZONE_IDS);
  /** Returns a host's zone, but only if the account in the zone's tag has claimed the host. */
  const zoneOf = async (host: string) => {
    const zone = await zones.zoneOf(host);
    const claims = zone === undefined ? [] : await domains.claimsOf(host);
    return zone !== undefined && claims.some(({ accountId, state }) => accountId === zone.accountId && !isGone(state)) ? zone : undefined;
  };
  return {
    domains,
    projects: createDynamoDbProjectStore(dynamoDb, controlTable, audit),
    // Only accounts' data in the control table is read here.
    accounts: createDynamoDbAccountStore(dynamoDb, { control: controlTable, usage: '' }),
    dns: createDnsLookup({
      recursives: settings.DNS_SERVERS,
      authoritativePort: settings.DNS_PORT,
      privateNetworks: settings.DNS_PRIVATE_NETWORKS,
    }),
    authority: createAwsAuthority({
      managed: createManagedAuthority(acm, tenants),
      dnsValidated: createDnsValidatedAuthority(acm, zones, zoneOf, settings.STAGE),
      zoneOf,
    }),
    edge: createCloudFrontEdge(
      tenants,
      createKeyValueMap(clients.keyValueStore, settings.EDGE_MAP_ARN, {
        targetsBelow: settings.SERVES_TARGETS ? settings.EDGE_NAME : undefined,
        patienceMs,
        turns: createTurns(createDynamoDbSweepStore(dynamoDb, controlTable), Date.now),
      }),
    ),
    edgeHost: settings.EDGE_NAME,
    publisher: createAwsPublisher(zones, () => tenants.routingEndpoint()),
    rules: async () => ({
      policy: { ours: [settings.EDGE_NAME], extraSuffixes: [] },
      edge: { host: settings.EDGE_NAME, challenge: await tenants.routingEndpoint() },
    }),
    orders: createDynamoDbOrderLimiter(dynamoDb, controlTable),
    clock: Date.now,
  };
}

/** Time limits of S3's client, in milliseconds. A file whose download stalls is read by the next run. */
const S3_TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 20_000, socketTimeout: 20_000 } as const;

/** Short, because a page has to be finished in time, and the next run tries again. */
const SWEEP_PATIENCE_MS = 5_000;

/** Creates the sweep's work, which also starts executions, and calls services at a limited pace. @param actor who makes changes, for the audit log */
export function createAwsSweepWork(settings: DomainSettings, actor: () => Actor) {
  const clients = createClients();
  paced(clients.acm, SWEEP_RATES.acm);
  paced(clients.cloudFront, SWEEP_RATES.cloudFront);
  paced(clients.keyValueStore, SWEEP_RATES.keyValueStore);
  paced(clients.route53, SWEEP_RATES.route53);
  const { restart } = createStepFunctionsWorkflow(new SFNClient({}), settings.WORKFLOW_ARN);
  const { CONTROL_TABLE: controlTable, AUDIT_TABLE: auditTable, SITES_BUCKET: sitesBucket } = settings;
  const s3 = new S3Client({ requestHandler: S3_TIMEOUTS });
  const audit = createAuditWrites(auditTable, { actor });
  const removals = createDynamoDbFileRemovalStore(clients.dynamoDb, controlTable, audit);
  return {
    work: {
      ...workWith(settings, clients, audit, SWEEP_PATIENCE_MS),
      restart,
      changes: auditTable === undefined ? undefined : createDynamoDbAuditLog(clients.dynamoDb, auditTable, audit),
    },
    store: createDynamoDbSweepStore(clients.dynamoDb, controlTable),
    files: { removals, uploads: createS3Uploads(s3, sitesBucket) },
    visits: { logs: createCloudFrontLogs(s3, sitesBucket), traffic: createDynamoDbTrafficStore(createDynamoDbClients(), controlTable) },
  };
}
