// The work on custom domains: the state machine, the function for its steps, and the sweep for everything that the state machine does not cover.

import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { LOGS_PREFIX } from '../../adapters/sites/log-fields.ts';
import { AUDIT_DAY_INDEX, WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import { parameterName, zoneList } from '../../platforms/aws/stage-parameters.ts';
import { domainWorkflow, STEP_TIMEOUT_SECONDS } from '../workflow/definition.ts';
import { DomainFunction, type DomainWorkflowProps } from './domain-function.ts';
import { sitesBucketName, sitesFinding } from './edge/edge-origin.ts';
import { dependOnPolicy } from './function-identity.ts';

const SWEEP_EVERY = Duration.minutes(5);
const SWEEP_EDGE_EVERY = Duration.hours(1);

/** The state machine, its functions and the sweep's schedules. */
export class DomainWorkflow extends Construct {
  readonly workflow: StateMachine;
  readonly steps: DomainFunction;
  readonly sweep: DomainFunction;

  constructor(scope: Construct, id: string, props: DomainWorkflowProps) {
    super(scope, id);
    const { name, logRetention, removalPolicy } = props;
    this.steps = new DomainFunction(this, 'Steps', {
      ...props,
      description: 'Petstore custom domains: one step of the workflow',
      code: 'domain-step',
      timeout: Duration.seconds(STEP_TIMEOUT_SECONDS - 5),
      concurrency: 'steps',
    });
    // For a project's configuration, to which an intended redirect is added once its target is live.
    this.steps.allow(['dynamodb:UpdateItem'], [props.tables.control.tableArn]);
    this.workflow = new StateMachine(this, 'Workflow', {
      stateMachineName: `petstore-${name}-domains`,
      comment: 'A custom domain, from Verify to live, and from Remove to removed',
      definitionBody: DefinitionBody.fromString(JSON.stringify(domainWorkflow(this.steps.function.functionArn))),
      tracingEnabled: true,
      removalPolicy: RemovalPolicy.DESTROY,
      logs: {
        level: LogLevel.ALL,
        destination: new LogGroup(this, 'WorkflowLogs', {
          logGroupName: `/aws/vendedlogs/states/petstore-${name}-domains`,
          retention: logRetention,
          removalPolicy,
        }),
      },
    });
    dependOnPolicy(this.workflow.role);
    // grantInvoke would also permit all versions.
    this.workflow.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.steps.function.functionArn] }));
    Validations.of(this.workflow).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and log delivery have no resource-level permissions (Step Functions Developer Guide, "Logging using CloudWatch Logs").',
    });

    this.sweep = new DomainFunction(this, 'Sweep', {
      ...props,
      description: 'Petstore custom domains: daily checks, lost work, orphans',
      code: 'domain-sweep',
      timeout: Duration.minutes(4),
      concurrency: 'sweep',
      isScheduled: true,
    });
    this.sweep.function.addEnvironment('WORKFLOW_ARN', this.workflow.stateMachineArn);
    this.sweep.function.addEnvironment('SITES_BUCKET', props.edge.origin.bucket.bucketName);
    this.allowSweep(props);
    this.schedule('SweepDomains', 'Runs daily checks, and restarts lost work', SWEEP_EVERY, {});
    this.schedule('SweepEdge', 'Republishes changes and, once a day, whatever differs at the edge', SWEEP_EDGE_EVERY, { changes: true });
    new StringParameter(this, 'Parameter-workflow', {
      parameterName: parameterName(name, 'edge', 'workflow'),
      stringValue: this.workflow.stateMachineArn,
    });
    const { zoneIds } = props.edgeName;
    if (zoneIds !== undefined)
      new StringParameter(this, 'Parameter-zones', { parameterName: parameterName(name, 'edge', 'zones'), stringValue: zoneList(zoneIds) });
    Validations.of(this.sweep.function).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'The next sweep makes up for one that fails, and alarms report repeated failures.',
    });
    for (const { function: handler } of [this.steps, this.sweep]) {
      Validations.of(handler).acknowledge({
        id: 'Serverless-LambdaDLQ',
        reason: 'The state machine waits for each response; the next sweep makes up for one that fails.',
      });
    }
  }

  /** Permits the sweep's additional work: finding due domains, listing the edge, restarting lost work, removing files, and counting visits. */
  private allowSweep({ tablePrefix, tables, edge }: DomainWorkflowProps): void {
    const sites = `arn:${Aws.PARTITION}:s3:::${sitesBucketName(tablePrefix)}`;
    this.sweep.allow(['s3:ListBucket'], [sites]);
    this.sweep.allow(['s3:DeleteObject'], [`${sites}/*`]);
    this.sweep.allow(['s3:GetObject'], [`${sites}/${LOGS_PREFIX}*`]);
    this.sweep.allow(['dynamodb:UpdateItem'], [tables.control.tableArn]);
    Validations.of(this.sweep.role).acknowledge(
      { id: sitesFinding(tablePrefix, '*'), reason: "Owners' files have names that are not known in advance." },
      { id: sitesFinding(tablePrefix, `${LOGS_PREFIX}*`), reason: 'CloudFront chooses the names of its logs.' },
    );
    this.sweep.allow(['dynamodb:Query'], [`${tables.control.tableArn}/index/${WAKE_INDEX}`]);
    this.sweep.allow(['dynamodb:Query'], [`${tables.audit.tableArn}/index/${AUDIT_DAY_INDEX}`]);
    this.sweep.allow(['cloudfront-keyvaluestore:ListKeys'], [edge.map.keyValueStoreArn]);
    this.sweep.allow(['cloudfront:ListDistributionTenants'], ['*']);
    this.sweep.allow(['states:StartExecution'], [this.workflow.stateMachineArn]);
  }

  private schedule(id: string, description: string, every: Duration, input: object): void {
    const target = new LambdaFunction(this.sweep.function, { event: RuleTargetInput.fromObject(input), retryAttempts: 0 });
    const rule = new Rule(this, id, { description, schedule: Schedule.rate(every), targets: [target] });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'The next event follows within the hour and does everything that a failed one would have done.',
    });
  }
}
