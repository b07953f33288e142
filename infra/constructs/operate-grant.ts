// Permits a role or a user to run `petstore --stage NAME`.

import { Stack, Token } from 'aws-cdk-lib';
import type { IGrantable, IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * Adds the statements to the principal's policy.
 *
 * @throws Error if the principal has no policy that this app can change, which the CDK would ignore, or is in another account, where the statements
 * permit nothing
 */
export function grantStatements(scope: Construct, { grantPrincipal }: IGrantable, statements: readonly PolicyStatement[]): void {
  const refusal = `${scope.node.path}: grantOperate: got ${grantPrincipal}; allowed: a role or a user of this account that this app may change, and that others may assume`;
  const { account } = Stack.of(scope);
  if (isImmutable(grantPrincipal) || isElsewhere(grantPrincipal, account)) throw new Error(refusal);
  for (const statement of statements) if (!grantPrincipal.addToPrincipalPolicy(statement).statementAdded) throw new Error(refusal);
}

/** Whether a role was imported as one that can't be changed, as roles of other accounts always are. Such a role claims to add each statement. */
function isImmutable(principal: IPrincipal): boolean {
  const { PROPERTY_INJECTION_ID: id } = principal.constructor as { readonly PROPERTY_INJECTION_ID?: string };
  return id === 'aws-cdk-lib.aws-iam.ImmutableRole';
}

function isElsewhere({ principalAccount }: IPrincipal, account: string): boolean {
  if (principalAccount === undefined || Token.isUnresolved(principalAccount) || Token.isUnresolved(account)) return false;
  return principalAccount !== account;
}
