// Least privilege: permissions in the deployed policies that no call has used.

import { IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import type { Front } from './front.ts';
import { permissionsOf } from './principals.ts';

/** A permission that no call through the judge uses, and why. */
export interface Explained {
  /** Matches lines such as `policy allows action on resource`. */
  readonly what: RegExp;
  readonly why: string;
}

export interface Unused {
  /** Lines such as `role: policy allows action on resource`. */
  readonly unexplained: readonly string[];
  /** Number of permissions by explanation. */
  readonly explained: ReadonlyMap<string, number>;
}

/** @param isChecked takes a role's name @param explanations of permissions that no call uses */
export async function unusedPermissions(
  { principals, record: { used } }: Pick<Front, 'principals' | 'record'>,
  isChecked: (role: string) => boolean,
  explanations: readonly Explained[],
): Promise<Unused> {
  const iam = new IAMClient({});
  const unexplained: string[] = [];
  const explained = new Map<string, number>();
  for await (const { Roles = [] } of paginateListRoles({ client: iam }, {})) {
    for (const { RoleName = '' } of Roles.filter((role) => isChecked(role.RoleName ?? ''))) {
      const uses = (await principals.statementsOf(RoleName))
        .filter(({ Effect }) => Effect === 'Allow')
        .flatMap((statement) => permissionsOf(statement))
        .filter((use) => !used.get(RoleName)?.has(use));
      for (const use of uses) {
        const explanation = explanations.find(({ what }) => what.test(use))?.why;
        if (explanation === undefined) unexplained.push(`${RoleName}: ${use}`);
        else explained.set(explanation, (explained.get(explanation) ?? 0) + 1);
      }
    }
  }
  iam.destroy();
  return { unexplained, explained };
}
