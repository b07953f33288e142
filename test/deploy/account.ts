// An AWS account, prepared for the first deployment as docs/aws/deploy.md says, and the settings of both stages in it.

import { ACMClient, RequestCertificateCommand } from '@aws-sdk/client-acm';
import { CreateOpenIDConnectProviderCommand, IAMClient } from '@aws-sdk/client-iam';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { ACCOUNT, REGION } from './emulator.ts';
import { PLACEHOLDERS } from './release/archive.ts';

export const STAGES = ['staging', 'production'] as const;

export type Stage = (typeof STAGES)[number];

/** A stage's settings without the stage's prefix, as in the variables of its environment on GitHub. */
export type StageVariables = Readonly<Record<string, string>>;

export const REPOSITORY = 'someone/petstore';

/** The start of the subject in the tokens of each environment: one with ids, as new repositories have it, and one without. */
export const OIDC_SUBJECTS: Readonly<Record<Stage, string>> = { staging: 'repo:someone@1001/petstore@2002', production: `repo:${REPOSITORY}` };

/** The parent of all names in the run. */
const DOMAIN = 'petstore-platform.dev';

/** The name below which projects have their targets. */
export function edgeName(stage: string): string {
  return `edge.${stage}.${DOMAIN}`;
}

/** Creates the identity provider of the pipeline, the zone, the certificates and the sender's identity. @returns every setting of each stage */
export async function prepareAccount(dns: { readonly port: number }): Promise<Readonly<Record<Stage, StageVariables>>> {
  const [iam, route53, acm, ses] = [new IAMClient({}), new Route53Client({}), new ACMClient({}), new SESv2Client({})];
  const Url = 'https://token.actions.githubusercontent.com';
  await iam.send(new CreateOpenIDConnectProviderCommand({ Url, ClientIDList: ['sts.amazonaws.com'] }));
  const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name: DOMAIN, CallerReference: 'first-day' }));
  const zone = `${DOMAIN}:${HostedZone?.Id?.replace('/hostedzone/', '')}`;
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: DOMAIN }));
  const variables = async (stage: Stage): Promise<StageVariables> => {
    const certificate = async (DomainName: string) => {
      const { CertificateArn = '' } = await acm.send(new RequestCertificateCommand({ DomainName, ValidationMethod: 'DNS' }));
      return CertificateArn;
    };
    const variables = variablesOf(stage, { zone, certificateArn: await certificate(apiName(stage)), dnsPort: String(dns.port) });
    // Only one of them serves projects at their own addresses.
    return { ...variables, ...(stage === 'staging' && { EDGE_CERTIFICATE_ARN: await certificate(`*.${edgeName(stage)}`) }) };
  };
  const prepared = { staging: await variables('staging'), production: await variables('production') };
  for (const client of [iam, route53, acm, ses]) client.destroy();
  return prepared;
}

function apiName(stage: Stage): string {
  return `api.${stage}.${DOMAIN}`;
}

interface Made {
  /** As in the setting API_ZONE. */
  readonly zone: string;
  readonly certificateArn: string;
  readonly dnsPort: string;
}

function variablesOf(stage: Stage, { zone, certificateArn, dnsPort }: Made): StageVariables {
  return {
    ACCOUNT,
    REGION,
    ALARM_EMAIL: 'ops@example.com',
    API_DOMAIN: apiName(stage),
    API_CERTIFICATE_ARN: certificateArn,
    API_ZONE: zone,
    EDGE_NAME: edgeName(stage),
    EDGE_ZONE: zone,
    DNS_SERVERS: `127.0.0.1:${dnsPort}`,
    DNS_PORT: dnsPort,
    DNS_PRIVATE_NETWORKS: 'on',
    DRAFT_HEADERS: 'off',
    BUDGET: '200',
    MAIL_FROM: `no-reply@${DOMAIN}`,
    ...(stage === 'production' && { SIGN_UP: 'invited', MFA: 'required' }),
    ...(stage === 'staging' && { OIDC_SUBJECT: OIDC_SUBJECTS.staging }),
  };
}

/** The settings of the stage staging in the archive of a release, with placeholders for what the account does not have yet. */
export function releaseSettings(): Readonly<Record<string, string>> {
  const certificateArn = `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/${PLACEHOLDERS.certificate}`;
  const made = { zone: `${DOMAIN}:${PLACEHOLDERS.zoneId}`, certificateArn, dnsPort: PLACEHOLDERS.dnsPort };
  return settingsOf('staging', variablesOf('staging', made));
}

/** The environment variables with which an operator deploys a stage by hand. */
export function settingsOf(stage: Stage, variables: StageVariables): Readonly<Record<string, string>> {
  const prefix = stage.toUpperCase();
  const settings = Object.entries({ ...variables, GITHUB_REPOSITORY: REPOSITORY });
  return Object.fromEntries(settings.map(([name, value]) => [`${prefix}_${name}`, value]));
}
