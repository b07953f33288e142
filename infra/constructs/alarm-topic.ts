// Where alarms go: a topic that this account's alarms may publish to, and the stage's email address.

import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stages.ts';

export interface AlarmTopicProps {
  readonly stage: StageSettings;
}

/** A topic for alarms. Alarms and their topic are in the same region. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { stage }: AlarmTopicProps) {
    super(scope, id, { displayName: `petstore ${stage.name} alarms`, enforceSSL: true });
    // Enforcing TLS replaces the topic's default policy, which lets the account's own alarms publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (stage.alarmEmail === undefined) return;
    Validations.of(this.addSubscription(new EmailSubscription(stage.alarmEmail))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries email for hours. A queue would keep alarms that are over by then, and could itself only be reported by email;' +
        'the state of each alarm is in CloudWatch and on the incident dashboard.',
    });
  }
}
