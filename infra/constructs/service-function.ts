// Creates every Lambda function of the platform. In the repository, its code is bundled from the TypeScript source. The package contains the bundles
// of its release, so its users need no bundler.

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssetHashType, DockerImage, Duration, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type Alias, Architecture, Code, type FunctionOptions, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { BUNDLES_FOLDER, bundleFolder, type FunctionName } from '../../functions/bundle/bundles.ts';
import type { Environments } from '../../platforms/aws/function-settings.ts';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { latency, serverErrorRate, serviceName } from './api-metrics.ts';
import { ServiceAlarm } from './service-alarm.ts';

export type ServiceFunction = LambdaFunction;

export interface ServiceFunctionProps<Name extends FunctionName> extends Omit<FunctionOptions, 'environment'> {
  readonly code: Name;
  readonly name: string;
  readonly environment: Omit<Environments[Name], 'SERVICE_NAME'>;
}

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'functions/bundle/build.ts');
const PACKAGED = import.meta.filename.endsWith('.js') ? BUNDLES_FOLDER : undefined;

const DEFAULTS = { runtime: Runtime.NODEJS_24_X, architecture: Architecture.ARM_64, tracing: Tracing.ACTIVE };

/** Creates a function with the platform's code. @param bundles a folder of bundles. @default the package's, or none in the repository */
export function serviceFunction<Name extends FunctionName>(
  scope: Construct,
  id: string,
  { code, name, environment, ...given }: ServiceFunctionProps<Name>,
  bundles = PACKAGED,
): ServiceFunction {
  return new LambdaFunction(scope, id, {
    ...DEFAULTS,
    ...given,
    environment: { ...(environment as Readonly<Record<string, string>>), SERVICE_NAME: serviceName(name), POWERTOOLS_LOG_LEVEL: 'INFO' },
    handler: 'index.handler',
    code: bundles === undefined ? fromSource(code) : Code.fromAsset(bundleFolder(bundles, code)),
  });
}

/** Folders of bundles that this process has built. */
const built = new Set<string>();

/** Bundles as the package's build does, in a separate process, because the CDK doesn't wait for promises and the package's users have no esbuild. */
function fromSource(name: FunctionName): Code {
  const tryBundle = (folder: string) => {
    // All at once, because they share most of their modules.
    const bundles = join(dirname(folder), 'bundles');
    if (!built.has(bundles)) {
      const { status } = spawnSync(process.execPath, [BUILD, bundles], { stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) throw new Error(`${BUILD} could not bundle the functions`);
      built.add(bundles);
    }
    cpSync(bundleFolder(bundles, name), folder, { recursive: true });
    return true;
  };
  // The command is never run, but the CDK regards bundles with the same command as the same bundle.
  const bundling = { image: DockerImage.fromRegistry('unused'), command: [name], local: { tryBundle } };
  return Code.fromAsset(ROOT, { assetHashType: AssetHashType.OUTPUT, bundling });
}

/** Acknowledges, for cdk-nag, that a function invoked by API Gateway needs no dead-letter queue. */
export function answersApiGateway(invoked: ServiceFunction): void {
  const reason = 'Only API Gateway invokes it, and waits for the response: there is no asynchronous invocation that a queue could keep.';
  Validations.of(invoked).acknowledge({ id: 'Serverless-LambdaDLQ', reason });
}

// A canary release: the new version gets a tenth of the traffic for five minutes, then all of it, unless an alarm makes CodeDeploy undo it.

export interface CanaryReleaseProps {
  readonly name: string;
  readonly api: HttpApi;
  readonly alias: Alias;
}

/** Returns the name of a stage's CodeDeploy application. */
export function releaseName(stage: StageName): string {
  return `petstore-${stage}-api`;
}

/** In percent. A tenth of the traffic goes to the new version, so if all of its responses were faults, the total would be 10%. */
const FAULTS_PERCENT = 2;
const SLOW_MS = 1_500;

/** The deployment group with its alarms. */
export class CanaryRelease extends Construct {
  readonly alarms: readonly ServiceAlarm[];

  constructor(scope: Construct, id: string, props: CanaryReleaseProps) {
    super(scope, id);
    const { name: stage, alias, api } = props;
    this.alarms = [
      new ServiceAlarm(this, 'Faults', {
        stage,
        name: 'release-faults',
        meaning: `More than ${FAULTS_PERCENT}% of a minute's responses are 5xx; a release in progress is rolled back.`,
        metric: serverErrorRate(api),
        above: FAULTS_PERCENT,
      }),
      new ServiceAlarm(this, 'Errors', {
        stage,
        name: 'release-errors',
        meaning: "The API's function crashed or timed out more than twice in a minute; a release in progress is rolled back.",
        metric: alias.metricErrors({ period: Duration.minutes(1), statistic: Stats.SUM }),
        above: 2,
      }),
      new ServiceAlarm(this, 'Slow', {
        stage,
        name: 'release-slow',
        meaning: `One response in a hundred took more than ${SLOW_MS} ms, two minutes in a row; a release in progress is rolled back.`,
        metric: latency(api, 99),
        above: SLOW_MS,
        periods: { above: 2, of: 2 },
      }),
    ];
    const group = new LambdaDeploymentGroup(this, 'Group', {
      application: new LambdaApplication(this, 'Application', { applicationName: releaseName(stage) }),
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...this.alarms],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    Validations.of(group).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS maintains this policy, here in its limited form, for exactly this service, and extends it if CodeDeploy needs more.',
    });
  }
}
