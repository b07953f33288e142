// The function that sends emails to owners, and its schedules. It is called every minute: a stream or queue would not deliver more reliably.

import { Aws, Duration, Validations } from 'aws-cdk-lib';
import type { UserPool } from 'aws-cdk-lib/aws-cognito';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { AccessTables } from './catalogue-tables.ts';
import { functionIdentity, SCHEDULED } from './function-identity.ts';
import { type ServiceFunction, serviceFunction } from './service-function.ts';
import type { ServiceProps } from './service-props.ts';

export interface MailSender {
  /** The name that recipients see. @default Petstore */
  readonly name?: string | undefined;
  readonly address: string;
  /** The region of the domain's identity in SES; undefined for the stage's region, which is unknown at synthesis. */
  readonly region: string | undefined;
}

export interface NotifierFunctionProps extends ServiceProps {
  readonly tables: AccessTables;
  readonly sender: MailSender;
  /** Where the members' addresses are. */
  readonly userPool: UserPool;
  /** The operator's address, for plan requests. @default they are not mailed */
  readonly operatorMail?: string | undefined;
  /** The dashboard's origin, for links. */
  readonly origin: string;
}

const SEND_EVERY = Duration.minutes(1);
const SURVEY_EVERY = Duration.minutes(5);

/** The function with its role, log group and schedules. */
export class NotifierFunction extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: NotifierFunctionProps) {
    super(scope, id);
    const { tables, sender, operatorMail, userPool, origin } = props;
    const { allow, ...identity } = functionIdentity(this, props);
    const { tableArn } = tables.control;
    allow(['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], [tableArn]);
    allow(['dynamodb:Query'], [`${tableArn}/index/${WAKE_INDEX}`]);
    allow(['dynamodb:GetItem', 'dynamodb:Scan'], [tables.usage.tableArn]);
    allow(['dynamodb:PutItem'], [tables.audit.tableArn]);
    allow(['cognito-idp:AdminGetUser'], [userPool.userPoolArn]);
    const region = sender.region ?? Aws.REGION;
    // For an address that is also verified on its own, SES requires permission for the address's identity.
    const identities = [sender.address.split('@')[1] ?? '', sender.address].map(
      (identity) => `arn:${Aws.PARTITION}:ses:${region}:${Aws.ACCOUNT_ID}:identity/${identity}`,
    );
    allow(['ses:SendEmail'], identities, { StringEquals: { 'ses:FromAddress': sender.address } });

    this.function = serviceFunction(this, 'Function', {
      ...SCHEDULED,
      description: 'Petstore: sends emails to owners',
      code: 'notifier',
      memorySize: 256,
      timeout: Duration.seconds(55),
      ...identity,
      environment: {
        CONTROL_TABLE: tables.control.tableName,
        USAGE_TABLE: tables.usage.tableName,
        AUDIT_TABLE: tables.audit.tableName,
        USER_POOL_ID: userPool.userPoolId,
        MAIL_FROM: sender.name === undefined ? sender.address : `${sender.name} <${sender.address}>`,
        MAIL_REGION: region,
        ...(operatorMail !== undefined && { OPERATOR_MAIL: operatorMail }),
        DASHBOARD_URL: origin,
      },
    });
    this.schedule('Send', 'Emails that are due', SEND_EVERY, {});
    this.schedule('Survey', 'Quotas and bans that owners should know of', SURVEY_EVERY, { survey: true });
    const reason = 'A call that is lost does no harm: the next one follows within minutes and sends what is due.';
    Validations.of(this.function).acknowledge({ id: 'Serverless-LambdaDLQ', reason }, { id: 'Serverless-LambdaAsyncFailureDestination', reason });
  }

  private schedule(id: string, description: string, every: Duration, input: object): void {
    const target = new LambdaFunction(this.function, { event: RuleTargetInput.fromObject(input), retryAttempts: 0 });
    const rule = new Rule(this, id, { description, schedule: Schedule.rate(every), targets: [target] });
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason: 'The next event follows within minutes.' });
  }
}
