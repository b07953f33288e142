// Every Lambda function of the platform is created here. In the repository, whose files are TypeScript, its code is bundled from source. The package
// is compiled, and contains the bundles of its release, so its users need no bundler.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { AssetHashType, DockerImage, Validations } from 'aws-cdk-lib';
import { Architecture, Code, type FunctionOptions, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { BUNDLES_FOLDER, bundleFolder, type FunctionName } from '../../functions/bundle/bundles.ts';
import type { CatalogueEnvironment } from '../../platforms/aws/catalogue-settings.ts';
import type { ControlEnvironment } from '../../platforms/aws/control-settings.ts';
import type { DomainEnvironment } from '../../platforms/aws/domain-settings.ts';
import type { FailoverEnvironment } from '../../platforms/aws/edge-failover.ts';
import type { GateEnvironment } from '../../platforms/aws/gate-settings.ts';
import type { NotificationEnvironment } from '../../platforms/aws/notification-settings.ts';
import type { ProbeEnvironment } from '../../platforms/aws/probe-settings.ts';

export type ServiceFunction = LambdaFunction;

/** What each function reads of its environment. */
interface Environments extends Record<FunctionName, object> {
  catalogue: CatalogueEnvironment;
  control: ControlEnvironment;
  'domain-step': DomainEnvironment;
  'domain-sweep': DomainEnvironment;
  'edge-failover': FailoverEnvironment;
  gate: GateEnvironment;
  notifier: NotificationEnvironment;
  probe: ProbeEnvironment;
}

export interface ServiceFunctionProps<Name extends FunctionName> extends Omit<FunctionOptions, 'environment'> {
  readonly code: Name;
  readonly environment: Environments[Name];
}

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'functions/bundle/build.ts');

const DEFAULTS = { runtime: Runtime.NODEJS_24_X, architecture: Architecture.ARM_64, tracing: Tracing.ACTIVE };

/** Creates a function with the platform's code. @param bundles a folder of bundles. @default the package's, or none in the repository */
export function serviceFunction<Name extends FunctionName>(
  scope: Construct,
  id: string,
  { code, environment, ...given }: ServiceFunctionProps<Name>,
  bundles = packagedBundles(),
): ServiceFunction {
  return new LambdaFunction(scope, id, {
    ...DEFAULTS,
    ...given,
    environment: { ...(environment as Readonly<Record<string, string>>), POWERTOOLS_LOG_LEVEL: 'INFO' },
    handler: 'index.handler',
    code: bundles === undefined ? fromSource(code) : Code.fromAsset(bundleFolder(bundles, code)),
  });
}

/** Bundles as the package's build does, in a process of its own: the CDK does not wait for promises, and users of the package have no esbuild. */
function fromSource(name: FunctionName): Code {
  const tryBundle = (folder: string) => {
    const { status } = spawnSync(process.execPath, [BUILD, name, folder], { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) throw new Error(`${BUILD} could not bundle ${name}`);
    return true;
  };
  // The command is never run. The CDK takes bundles with the same one for the same bundle.
  const bundling = { image: DockerImage.fromRegistry('unused'), command: [name], local: { tryBundle } };
  return Code.fromAsset(ROOT, { assetHashType: AssetHashType.OUTPUT, bundling });
}

/** Says, for cdk-nag, why a function that API Gateway invokes needs no dead-letter queue. */
export function answersApiGateway(invoked: ServiceFunction): void {
  const reason = 'Only API Gateway invokes it, and waits for the response: there is no asynchronous invocation that a queue could keep.';
  Validations.of(invoked).acknowledge({ id: 'Serverless-LambdaDLQ', reason });
}

function packagedBundles(): string | undefined {
  return import.meta.filename.endsWith('.js') ? BUNDLES_FOLDER : undefined;
}
