// Where alarms go: a topic that this account's alarms may publish to, and an email address.

import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface AlarmTopicProps {
  /** The deployment's name. */
  readonly name: string;
  /** Where alarms are sent. Undefined: nowhere. */
  readonly email: string | undefined;
}

/** A topic for alarms. Alarms and their topic are in the same region. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { name, email }: AlarmTopicProps) {
    super(scope, id, { displayName: `petstore ${name} alarms`, enforceSSL: true });
    // Enforcing TLS replaces the topic's default policy, which lets the account's own alarms publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email === undefined) return;
    Validations.of(this.addSubscription(new EmailSubscription(email))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries email for hours. A queue would keep alarms that are over by then, and could itself only be reported by email;' +
        'the state of each alarm is in CloudWatch and on the incident dashboard.',
    });
  }
}
