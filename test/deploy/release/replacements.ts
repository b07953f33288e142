// Which resources an update would replace or delete, as CloudFormation decides it: by the properties that can't be changed (create-only.json, from
// AWS's resource schemas).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// biome-ignore lint/suspicious/noExplicitAny: templates contain any JSON
type Json = any;

const CREATE_ONLY: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(join(import.meta.dirname, 'create-only.json'), 'utf8'));

/** Resources that hold data or an address on which others depend: a new one is not the same. */
export const IRREPLACEABLE: readonly string[] = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::CloudFront::ConnectionGroup',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::KeyValueStore',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolDomain',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::StepFunctions::StateMachine',
];

export interface Loss {
  readonly id: string;
  readonly type: string;
  readonly action: 'deleted' | 'replaced';
}

/**
 * Returns the resources of a stack's template that an update with another template deletes or replaces. References count as changed if they refer to
 * another logical id.
 *
 * @throws Error for a type whose immutable properties are not known
 */
export function lossesOf(before: Json, after: Json): readonly Loss[] {
  const losses: Loss[] = [];
  for (const [id, { Type: type, Properties = {} }] of Object.entries<Json>(before.Resources)) {
    if (type === 'AWS::CDK::Metadata') continue;
    const immutable = CREATE_ONLY[type];
    if (immutable === undefined) throw new Error(`${type}: not in test/deploy/release/create-only.json`);
    const next = after?.Resources[id];
    if (next === undefined) losses.push({ id, type, action: 'deleted' });
    else if (next.Type !== type || immutable.some((name) => JSON.stringify(Properties[name]) !== JSON.stringify(next.Properties?.[name])))
      losses.push({ id, type, action: 'replaced' });
  }
  return losses;
}
