// Every Lambda function of the platform is created here. In the repository, whose files are TypeScript, its code is bundled from source. The package
// is compiled, and contains the bundles of its release, so its users need no bundler.

import { join } from 'node:path';
import { Architecture, Code, type FunctionOptions, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { BUNDLES_FOLDER, bundleFolder, entryOf, type FunctionName } from '../../functions/bundle/bundles.ts';
import { BUNDLE_OPTIONS } from '../../functions/bundle/options.ts';

export type ServiceFunction = LambdaFunction;

export interface ServiceFunctionProps extends FunctionOptions {
  readonly code: FunctionName;
}

const ROOT = join(import.meta.dirname, '../..');

const DEFAULTS = { runtime: Runtime.NODEJS_24_X, architecture: Architecture.ARM_64, tracing: Tracing.ACTIVE };

/** The options of functions/bundle/options.ts, as the CDK takes them. */
const BUNDLING = {
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
};

/** Creates a function with the platform's code. @param bundles a folder of bundles. @default the package's, or none in the repository */
export function serviceFunction(scope: Construct, id: string, props: ServiceFunctionProps, bundles = packagedBundles()): ServiceFunction {
  const { code, ...options } = props;
  if (bundles !== undefined)
    return new LambdaFunction(scope, id, { ...DEFAULTS, ...options, handler: 'index.handler', code: Code.fromAsset(bundleFolder(bundles, code)) });
  return new NodejsFunction(scope, id, {
    ...DEFAULTS,
    ...options,
    handler: 'handler',
    entry: entryOf(code),
    projectRoot: ROOT,
    depsLockFilePath: join(ROOT, 'package-lock.json'),
    bundling: BUNDLING,
  });
}

function packagedBundles(): string | undefined {
  return import.meta.filename.endsWith('.js') ? BUNDLES_FOLDER : undefined;
}
