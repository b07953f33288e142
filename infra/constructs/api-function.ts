// The API's Lambda: bundled as functions/bundle/options.ts says, with a role that may do exactly what the handler does.

import { join } from 'node:path';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, type IVersion, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { STATUS_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import { API_ENTRY, BUNDLE_OPTIONS } from '../../functions/bundle/options.ts';
import type { Tables } from '../stacks/data.ts';
import type { StageSettings } from '../stages.ts';
import { serviceName } from './api-metrics.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface ApiFunctionProps {
  readonly stage: StageSettings;
  readonly tables: Tables;
}

export class ApiFunction extends Construct {
  readonly function: NodejsFunction;
  /** What the API calls: the released version. */
  readonly alias: Alias;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    const { stage, tables } = props;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: stage.logRetentionDays,
      removalPolicy: stage.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);
    const allow = (actions: string[], resources: string[]) =>
      this.role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources }));
    allow(['dynamodb:UpdateItem'], [tables.usage.tableArn]);
    // A Put inside a transaction is allowed by PutItem.
    allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'], [tables.pets.tableArn]);
    allow(['dynamodb:Query'], [`${tables.pets.tableArn}/index/${STATUS_INDEX}`]);

    this.function = new NodejsFunction(this, 'Function', {
      description: 'Petstore catalogue API',
      entry: API_ENTRY,
      handler: 'handler',
      projectRoot: ROOT,
      depsLockFilePath: join(ROOT, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // 1,769 MB is one whole core: signing and JSON are processor work, and a faster answer costs no more.
      memorySize: 1_769,
      timeout: Duration.seconds(10),
      tracing: Tracing.ACTIVE,
      // Kept, so that the alias can be moved back to one by hand.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      role: this.role,
      logGroup: this.logGroup,
      environment: {
        PETS_TABLE: tables.pets.tableName,
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        SERVICE_NAME: serviceName(stage.name),
        DRAFT_HEADERS: stage.draftHeaders ? 'on' : 'off',
        POWERTOOLS_LOG_LEVEL: 'INFO',
      },
      bundling: {
        bundleAwsSDK: true,
        format: OutputFormat.ESM,
        minify: true,
        sourceMap: false,
        target: String(BUNDLE_OPTIONS.target),
        mainFields: [...(BUNDLE_OPTIONS.mainFields ?? [])],
        banner: BUNDLE_OPTIONS.banner?.js ?? '',
        esbuildArgs: {
          '--legal-comments': 'none',
          ...Object.fromEntries(Object.entries(BUNDLE_OPTIONS.alias ?? {}).map(([from, to]) => [`--alias:${from}`, to])),
        },
      },
    });
    Validations.of(this.role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray takes no resource: PutTraceSegments and PutTelemetryRecords can only be allowed on *.',
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Only API Gateway calls it, and waits for the answer: there is no asynchronous invocation that a queue could keep.',
    });
    // The library's own types disagree under exactOptionalPropertyTypes.
    this.alias = new Alias(this, 'Live', { aliasName: 'live', version: this.function.currentVersion as IVersion });
  }
}
