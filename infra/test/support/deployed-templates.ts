// A stage as CloudFormation would create it: its templates, with references resolved to names and ARNs.

import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { PetstorePlatform } from '../../petstore-platform.ts';

export const ACCOUNT = '123456789012';
export const REGION = 'eu-central-1';

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Json = any;

interface Resource {
  readonly Type: string;
  readonly Properties: Json;
}

export interface DeployedStage {
  /** The types of all resources. */
  types(): readonly string[];
  /** All resources of a type from all stacks, with references resolved. */
  resources(type: string): readonly { readonly stack: string; readonly id: string; readonly properties: Json }[];
  /** The value of an SSM parameter. */
  parameter(name: string): string | undefined;
}

/** For each resource type, the property that names a resource, and the ARN for a name. */
const NAMED: Readonly<Record<string, readonly [property: string, arn: (name: string) => string]>> = {
  'AWS::CloudFront::KeyValueStore': ['Name', (name) => `arn:aws:cloudfront::${ACCOUNT}:key-value-store/${name}`],
  // Its id has the form `<region>_<letters and digits>`; no property sets it.
  'AWS::Cognito::UserPool': ['UserPoolId', (name) => `arn:aws:cognito-idp:${REGION}:${ACCOUNT}:userpool/${name}`],
  'AWS::DynamoDB::GlobalTable': ['TableName', (name) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`],
  'AWS::Events::Rule': ['Name', (name) => `arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`],
  'AWS::IAM::Role': ['RoleName', (name) => `arn:aws:iam::${ACCOUNT}:role/${name}`],
  'AWS::Lambda::Function': ['FunctionName', (name) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`],
  'AWS::Logs::DeliveryDestination': ['Name', (name) => `arn:aws:logs:us-east-1:${ACCOUNT}:delivery-destination:${name}`],
  'AWS::Logs::LogGroup': ['LogGroupName', (name) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${name}:*`],
  'AWS::S3::Bucket': ['BucketName', (name) => `arn:aws:s3:::${name}`],
  'AWS::SNS::Topic': ['TopicName', (name) => `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', (name) => `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:${name}`],
};

/** Types whose Ref is the ARN. */
const REF_IS_ARN = ['AWS::SNS::Topic', 'AWS::StepFunctions::StateMachine'];

/** Reads the synthesized templates of a stage. */
export function deployedStage(stage: PetstorePlatform): DeployedStage {
  const templates = new Map(stage.node.children.filter(Stack.isStack).map((stack) => [stack.stackName, Template.fromStack(stack).toJSON()]));
  const resourceOf = (stack: string, id: string): Resource => templates.get(stack)?.Resources?.[id];

  function attribute(stack: string, id: string, name: string | undefined): string {
    const { Type, Properties = {} } = resourceOf(stack, id);
    const [property, arn] = NAMED[Type] ?? [];
    // CloudFormation generates names for unnamed resources.
    const generated = Type === 'AWS::Cognito::UserPool' ? `${REGION}_${id}` : `${stack}-${id}`.toLowerCase();
    const ownName = (property && Properties[property] && resolve(stack, Properties[property])) ?? generated;
    if (name === 'FunctionUrl') return `https://${ownName}.lambda-url.${REGION}.on.aws/`;
    if (arn !== undefined && (name === 'Arn' || (name === undefined && REF_IS_ARN.includes(Type)))) return arn(ownName);
    return name === undefined || name === 'Id' ? ownName : `${ownName}.${name}`;
  }

  function resolve(stack: string, value: Json): Json {
    if (Array.isArray(value)) return value.map((each) => resolve(stack, each));
    if (value === null || typeof value !== 'object') return value;
    const [[name, argument] = ['', undefined], ...rest] = Object.entries<Json>(value);
    if (rest.length === 0) {
      if (name === 'Ref') return PSEUDO[argument] ?? attribute(stack, argument, undefined);
      if (name === 'Fn::GetAtt') return attribute(stack, argument[0], argument[1]);
      if (name === 'Fn::Join') return resolve(stack, argument[1]).join(argument[0]);
      if (name === 'Fn::Split') return resolve(stack, argument[1]).split(argument[0]);
      if (name === 'Fn::Select') return resolve(stack, argument[1])[argument[0]];
      if (name === 'Fn::GetStackOutput') return resolve(argument.StackName, templates.get(argument.StackName)?.Outputs[argument.OutputName].Value);
      if (name.startsWith('Fn::')) throw new Error(`${name}: not known in test/support/deployed-templates.ts`);
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(stack, each)]));
  }

  const resources: DeployedStage['resources'] = (type) =>
    [...templates].flatMap(([stack, { Resources = {} }]) =>
      Object.entries<Resource>(Resources)
        .filter(([, { Type }]) => Type === type)
        .map(([id, { Properties }]) => ({ stack, id, properties: resolve(stack, Properties) })),
    );
  return {
    types: () => [...new Set([...templates.values()].flatMap(({ Resources = {} }) => Object.values<Resource>(Resources).map(({ Type }) => Type)))],
    resources,
    parameter: (name) => resources('AWS::SSM::Parameter').find(({ properties }) => properties.Name === name)?.properties.Value,
  };
}
