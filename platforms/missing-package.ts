// Packages that only some users need are optional: this turns Node's error for one that is not installed into a sentence.

/** AWS's SDK, as far as the command line uses it on a stage. */
export const STAGE_PACKAGES: readonly string[] = [
  ...['client-acm', 'client-cloudfront', 'client-cloudfront-keyvaluestore', 'client-cognito-identity-provider', 'client-dynamodb', 'client-lambda'],
  ...['client-route-53', 'client-s3', 'client-sfn', 'client-ssm', 's3-request-presigner', 'signature-v4a'],
].map((name) => `@aws-sdk/${name}`);

/** Returns the package that could not be found; undefined if that is not what the error says. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message)?.[1];
}

/** Loads a part that needs optional packages. @throws the error that `explain` makes, if a package is not installed */
export async function loadOptional<T>(load: () => Promise<T>, explain: (missing: string) => Error): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    throw missing === undefined ? error : explain(missing);
  }
}
