// The tags of resources, for policies with conditions on `aws:ResourceTag/…`. They are read from the emulator only if a statement needs them.

import { ACMClient, ListTagsForCertificateCommand } from '@aws-sdk/client-acm';
import {
  CloudFrontClient,
  GetDistributionTenantByDomainCommand,
  GetDistributionTenantCommand,
  ListTagsForResourceCommand,
} from '@aws-sdk/client-cloudfront';
import { type Context, hasKey, isResourceTag } from './condition-keys.ts';
import { ID } from './resource-arns.ts';
import { type Authorization, concernsAction, conditionKeysOf, type Statement } from './rules/policy-evaluation.ts';
import type { Credentials } from './sign.ts';
import type { Input } from './wire/model.ts';

export interface ResourceTags {
  /**
   * The tags of a permission's resource. @param input the call's input, which may identify the resource by something other than its id
   * @returns none for a resource that does not exist @throws Error for a resource type whose tags can't be looked up
   */
  of(resource: string, input: Input): Promise<ReadonlyMap<string, string>>;
}

/**
 * The condition keys with the resource's tags, if a statement has a condition on them. The Service Authorization Reference lists the actions whose
 * requests have these keys: those to Route 53, for example, have none, whatever tags the zone has.
 */
export async function resourceTagKeys(
  statements: readonly Statement[],
  { action, resource }: Pick<Authorization, 'action' | 'resource'>,
  input: Input,
  tags: ResourceTags,
): Promise<Context> {
  const keys = statements.filter((statement) => concernsAction(statement, action)).flatMap((statement) => conditionKeysOf(statement));
  const wanted = keys.find(isResourceTag);
  if (wanted === undefined || !(await hasKey(action, wanted))) return {};
  return Object.fromEntries([...(await tags.of(resource, input))].map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
}

/** The services' errors for a resource that does not exist. */
const NOT_FOUND = ['EntityNotFound', 'NoSuchResource', 'ResourceNotFoundException'];

/** @param endpoint the emulator itself, because these calls are the judge's own */
export function createResourceTags(endpoint: string, administrator: Credentials): ResourceTags {
  const settings = { endpoint, region: 'us-east-1', credentials: administrator };
  const [acm, cloudFront] = [new ACMClient(settings), new CloudFrontClient(settings)];

  /** A tenant is named by its id, its name or one of its domains. A new one has only a name. */
  async function tenantArn(id: string, { Identifier = id, Name, Domain }: Input): Promise<string | undefined> {
    const answer =
      Domain !== undefined && Identifier === ID
        ? await cloudFront.send(new GetDistributionTenantByDomainCommand({ Domain: String(Domain) }))
        : await cloudFront.send(new GetDistributionTenantCommand({ Identifier: String(id === ID ? (Name ?? Identifier) : id) }));
    return answer.DistributionTenant?.Arn;
  }

  async function read(resource: string, input: Input): Promise<readonly Tag[]> {
    const tenant = /^arn:aws:cloudfront:.*:distribution-tenant\/(.+)$/.exec(resource)?.[1];
    if (tenant !== undefined) {
      const { Tags } = await cloudFront.send(new ListTagsForResourceCommand({ Resource: await tenantArn(tenant, input) }));
      return Tags?.Items ?? [];
    }
    if (!/^arn:aws:acm:.*:certificate\//.test(resource)) throw new Error(`${resource}: its tags cannot be looked up; see judge/resource-tags.ts`);
    // A certificate being requested has no tags.
    if (resource.endsWith(`/${ID}`)) return [];
    return (await acm.send(new ListTagsForCertificateCommand({ CertificateArn: resource }))).Tags ?? [];
  }

  return {
    of: async (resource, input) => {
      try {
        return new Map((await read(resource, input)).map(({ Key = '', Value = '' }) => [Key, Value]));
      } catch (error) {
        if (error instanceof Error && NOT_FOUND.includes(error.name)) return new Map();
        throw error;
      }
    },
  };
}

interface Tag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}
