// Calls the API every five minutes, as a customer would. CloudWatch Synthetics costs a hundred times as much, with a bucket and expiring runtimes.

import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { KeyMode } from '../../core/access/api-key.ts';
import { functionIdentity, SCHEDULED } from './function-identity.ts';
import { type ServiceFunction, serviceFunction } from './service-function.ts';
import type { ServiceProps } from './service-props.ts';

export interface ProbeFunctionProps extends ServiceProps {
  readonly url: string;
  readonly keyMode: KeyMode;
}

const PROBE_EVERY = Duration.minutes(5);

/** The function with its role, log group and schedule. It has no permission to call anything on AWS. */
export class ProbeFunction extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: ProbeFunctionProps) {
    super(scope, id);
    const { url, keyMode } = props;
    const { allow: _, ...identity } = functionIdentity(this, props);
    this.function = serviceFunction(this, 'Function', {
      ...SCHEDULED,
      description: 'Petstore: calls the API from outside',
      code: 'probe',
      memorySize: 256,
      timeout: Duration.seconds(30),
      ...identity,
      environment: { API_URL: url, KEY_MODE: keyMode },
    });
    const rule = new Rule(this, 'Schedule', {
      description: 'Calls the API from outside',
      schedule: Schedule.rate(PROBE_EVERY),
      targets: [new LambdaFunction(this.function, { retryAttempts: 0 })],
    });
    const reason = 'A call that is lost counts as a failure, and the next one follows within five minutes.';
    Validations.of(this.function).acknowledge({ id: 'Serverless-LambdaDLQ', reason }, { id: 'Serverless-LambdaAsyncFailureDestination', reason });
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
  }
}
