// The target behind a KeyedApi: a Lambda function, or an HTTP server.

import { type Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { problem } from './allowed-values.ts';
import type { GateTargetProps, GateUrlProps } from './gate-function.ts';

export interface UrlTargetProps {
  /**
   * The name of an existing SSM SecureString parameter in the API's account and region, such as `/orders/gate-secret`. Its value, 16 to 1,024 visible
   * ASCII characters, is sent in the header `x-petstore-secret` with each request; the server refuses requests without it. To replace it, make the
   * server accept both values, change the parameter, and drop the old value five minutes later; no deployment is needed.
   * @default none: the server needs another way to recognize requests from this API
   */
  readonly secretParameter?: string;
  /** The parameter's customer managed key. Its key policy must let IAM policies permit decryption. @default `aws/ssm`, which needs no permission */
  readonly secretKey?: Pick<IKey, 'keyArn'>;
}

/** A Lambda function, whichever construct creates it. */
export interface TargetFunction extends Pick<IFunction, 'functionArn'> {
  readonly env?: IFunction['env'] | undefined;
}

/** Answers the requests that are admitted. */
export class KeyedApiTarget {
  /**
   * Uses a Lambda function, which receives API Gateway's event (payload format 2.0) without the key. The caller is in
   * `requestContext.authorizer.lambda`, as `{ accountId, keyId, plan, scopes }`.
   * @param handler a function, a version or an alias, in the API's account and region
   */
  static lambda(handler: TargetFunction): KeyedApiTarget {
    return new KeyedApiTarget({ functionArn: handler.functionArn }, handler.env);
  }

  /**
   * Uses an HTTP server, which receives the request without the key. The caller is in the headers `x-petstore-account-id`, `x-petstore-key-id` and
   * `x-petstore-plan`. The server is reached over the internet, where others could send it these headers with any values, so it should recognize
   * requests from this API by a secret. @param url an https origin, optionally with a path below which all requests stay
   *
   * @example
   * KeyedApiTarget.url('https://orders-backend.example.com', { secretParameter: '/orders/gate-secret' });
   */
  static url(url: string, { secretParameter, secretKey }: UrlTargetProps = {}): KeyedApiTarget {
    return new KeyedApiTarget({ url, secretParameter, secretKeyArn: secretKey?.keyArn });
  }

  readonly settings: GateTargetProps;
  /** Where the target is, if it is in AWS. */
  private readonly env: TargetFunction['env'];

  private constructor(settings: GateTargetProps, env?: TargetFunction['env']) {
    this.settings = settings;
    this.env = env;
  }

  /** Returns a line for each value that is not allowed. @param stack the API's stack */
  problems(stack: Stack): string[] {
    return 'url' in this.settings ? urlProblems(this.settings) : functionProblems(this.settings.functionArn, this.env, stack);
  }
}

/** A name without a path, or a path of at most 15 parts (Systems Manager API reference, "PutParameter"). */
const PARAMETER_PATTERN = /^(?=.{1,1011}$)([\w.-]+|(\/[\w.-]+){1,15})$/;

const FUNCTION_ARN = /^arn:[\w-]+:lambda:([\w-]+):(\d{12}):function:[\w-]+(:[\w$-]+)?$/;

/** Returns a line if the gate can't invoke a function: in another account, the function's policy would have to allow it; in another region, never. */
function functionProblems(functionArn: string, env: TargetFunction['env'], stack: Stack): string[] {
  const isKnown = !Token.isUnresolved(functionArn);
  const [, region = env?.region, account = env?.account] = (isKnown && FUNCTION_ARN.exec(functionArn)) || [];
  if (isKnown && !FUNCTION_ARN.test(functionArn)) return [problem('target', functionArn, 'the ARN of a Lambda function, a version or an alias')];
  if (!differ(region, stack.region) && !differ(account, stack.account)) return [];
  const here = `a function in the API's account and region, ${stack.account} and ${stack.region}, because the gate can invoke no others`;
  return [problem('target', isKnown ? functionArn : `a function in ${account} and ${region}`, `${here}; for others, use a URL target`)];
}

/** Whether both are known and differ. */
function differ(a: string | undefined, b: string): boolean {
  return a !== undefined && !Token.isUnresolved(a) && !Token.isUnresolved(b) && a !== b;
}

function urlProblems({ url, secretParameter, secretKeyArn }: GateUrlProps): string[] {
  const problems: string[] = [];
  if (!isHttpsUrl(url))
    problems.push(problem('target.url', url, 'an https URL without credentials, query or fragment, such as https://orders.example.com'));
  if (secretParameter !== undefined && !PARAMETER_PATTERN.test(secretParameter))
    problems.push(problem('target.secretParameter', secretParameter, 'the name of an existing SecureString parameter, such as /orders/gate-secret'));
  if (secretParameter === undefined && secretKeyArn !== undefined)
    problems.push(problem('target.secretKey', secretKeyArn, 'only together with secretParameter'));
  return problems;
}

function isHttpsUrl(text: string): boolean {
  if (Token.isUnresolved(text)) return true;
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && `${url.username}${url.password}${url.search}${url.hash}` === '';
}
