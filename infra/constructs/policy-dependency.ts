// Dependencies on roles, without those that CloudFormation infers from references.

import { Dependable, type IConstruct } from 'constructs';

/**
 * Narrows dependencies on a role to its policy. The CDK makes functions and state machines depend on their role and everything in it, so that their
 * permissions exist first. On the role itself they depend anyway, because they refer to it (cfn-lint W3005).
 */
export function dependOnPolicy(role: IConstruct): void {
  Dependable.implement(role, {
    get dependencyRoots() {
      return role.node.children.filter(({ node }) => node.id === 'DefaultPolicy');
    },
  });
}
