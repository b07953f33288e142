// What the policies of resources and the trust policies of roles refuse, evaluated as IAM does.

import { afterAll, describe, expect, test } from 'vitest';
import { isAllowed, listOf, type Statement } from '../../judge/rules.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { ACCOUNT, deployedStage } from './support/deployed-templates.ts';
import { statementsOf, statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

/** What a caller with every permission of its own may do. */
const EVERYTHING: Statement = { Effect: 'Allow', Action: '*', Resource: '*' };

const isForEveryone = ({ Principal }: Statement) => Principal === '*' || (Principal as { AWS?: unknown } | undefined)?.AWS === '*';

describe.each(stages)('%s', (name, stage) => {
  test('buckets and topics refuse every request without TLS, whoever sends it', () => {
    const buckets = stage.resources('AWS::S3::BucketPolicy').flatMap(({ properties: { Bucket, PolicyDocument } }) => [
      { resource: `arn:aws:s3:::${Bucket}`, action: 's3:ListBucket', statements: PolicyDocument.Statement },
      { resource: `arn:aws:s3:::${Bucket}/a`, action: 's3:GetObject', statements: PolicyDocument.Statement },
      { resource: `arn:aws:s3:::${Bucket}/a`, action: 's3:PutObject', statements: PolicyDocument.Statement },
    ]);
    const topics = stage
      .resources('AWS::SNS::TopicPolicy')
      .flatMap(({ properties: { Topics, PolicyDocument } }) =>
        (Topics as string[]).map((resource) => ({ resource, action: 'sns:Publish', statements: PolicyDocument.Statement })),
      );
    expect(buckets).toHaveLength(3 * stage.resources('AWS::S3::Bucket').length);
    expect(topics).toHaveLength(stage.resources('AWS::SNS::Topic').length);
    for (const { resource, action, statements } of [...buckets, ...topics]) {
      const mayWith = (tls: string) =>
        isAllowed([EVERYTHING, ...(statements as Statement[]).filter(isForEveryone)], { action, resource, context: { 'aws:SecureTransport': tls } });
      expect([mayWith('true'), mayWith('false')], `${action} ${resource}`).toEqual([true, false]);
    }
  });

  // IAM User Guide, "IAM JSON policy elements: Effect": a policy with a statement without one is refused.
  test('every statement has an effect, and says what it is about', () => {
    const trust = stage
      .resources('AWS::IAM::Role')
      .flatMap(({ id, properties }) =>
        (properties.AssumeRolePolicyDocument.Statement as Statement[]).map((statement) => ({ ...statement, place: id, Resource: '*' })),
      );
    const incomplete = [...statementsOf(stage), ...trust].filter(
      ({ Effect, Action, Resource }) => !['Allow', 'Deny'].includes(Effect) || listOf(Action).length === 0 || listOf(Resource).length === 0,
    );
    expect(incomplete.map(({ place }) => place)).toEqual([]);
  });

  // Step Functions Developer Guide, "Cross-service confused deputy prevention": by the account and by the resource, each for itself.
  test("Step Functions assumes the workflow's role for a state machine of this account, and of no other", () => {
    const [machine] = stage.resources('AWS::StepFunctions::StateMachine').map(({ properties }) => properties);
    const trust = stage
      .resources('AWS::IAM::Role')
      .filter(({ id }) => id.startsWith('WorkflowRole'))
      .flatMap(({ properties }) => properties.AssumeRolePolicyDocument.Statement as Statement[])
      .map((statement) => ({ ...statement, Resource: '*' }));
    const mayFor = (account: string, source: string) =>
      isAllowed(trust, {
        action: 'sts:AssumeRole',
        resource: '*',
        context: { 'aws:SourceAccount': account, 'aws:SourceArn': `arn:aws:states:eu-central-1:${source}:${machine?.StateMachineName}` },
      });
    const another = '999999999999';
    expect(mayFor(ACCOUNT, `${ACCOUNT}:stateMachine`)).toBe(true);
    expect([mayFor(another, `${ACCOUNT}:stateMachine`), mayFor(ACCOUNT, `${another}:stateMachine`), mayFor(ACCOUNT, `${ACCOUNT}:activity`)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  // Lambda Developer Guide, "Defining Lambda function permissions with an execution role"; X-Ray Developer Guide, "AWSXRayDaemonWriteAccess".
  test('every function may write its own log and its traces', () => {
    for (const { id, properties } of stage.resources('AWS::Lambda::Function')) {
      const role = statementsOf(stage).filter(({ roles }) => roles.some((each) => properties.Role.endsWith(`:role/${each}`)));
      const log = `arn:aws:logs:eu-central-1:${ACCOUNT}:log-group:${properties.LoggingConfig.LogGroup}:log-stream:a`;
      const refused = [
        ...['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => ({ action, resource: log })),
        ...['xray:PutTraceSegments', 'xray:PutTelemetryRecords'].map((action) => ({ action, resource: '*' })),
      ].filter((authorization) => !isAllowed(role, authorization));
      expect(refused, id).toEqual([]);
    }
  });

  // Step Functions Developer Guide, "Using CloudWatch Logs to log execution history" and "Trace Step Functions state machines with AWS X-Ray".
  test('the workflow may deliver its log and write its traces, and does', () => {
    const [machine] = stage.resources('AWS::StepFunctions::StateMachine').map(({ properties }) => properties);
    expect(machine).toMatchObject({ TracingConfiguration: { Enabled: true }, LoggingConfiguration: { Level: 'ALL' } });
    const deliveries = ['CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery', 'ListLogDeliveries'];
    const needed = [
      ...[...deliveries, 'PutResourcePolicy', 'DescribeResourcePolicies', 'DescribeLogGroups'].map((action) => `logs:${action}`),
      ...['PutTraceSegments', 'PutTelemetryRecords', 'GetSamplingRules', 'GetSamplingTargets'].map((action) => `xray:${action}`),
    ];
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id: 'WorkflowRole' });
    expect(needed.filter((action) => !isAllowed(role, { action, resource: '*' }))).toEqual([]);
  });

  test('the address of a function is called with the authorization that its permissions are for', () => {
    const types = stage.resources('AWS::Lambda::Url').map(({ properties }) => properties.AuthType);
    const permissions = stage.resources('AWS::Lambda::Permission').filter(({ properties }) => properties.Action === 'lambda:InvokeFunctionUrl');
    expect(permissions).toHaveLength(2);
    for (const { properties } of permissions) expect(types).toContain(properties.FunctionUrlAuthType);
  });

  // CodeDeploy User Guide, "Create a service role for CodeDeploy".
  test("CodeDeploy's role has AWS's policy for releases of functions", () => {
    const roles = stage.resources('AWS::IAM::Role').map(({ stack, id, properties }) => ({ name: `${stack}-${id}`.toLowerCase(), properties }));
    for (const { properties } of stage.resources('AWS::CodeDeploy::DeploymentGroup'))
      expect(roles.find((role) => properties.ServiceRoleArn.endsWith(`/${role.name}`))?.properties.ManagedPolicyArns).toEqual([
        'arn:aws:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited',
      ]);
  });
});
