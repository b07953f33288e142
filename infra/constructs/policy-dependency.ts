// Dependencies on roles, without the ones that CloudFormation sees itself.

import { Dependable, type IConstruct } from 'constructs';

/**
 * Makes a dependency on a role one on its policy alone. Functions and state machines of the CDK depend on their role with all that is in it, so that
 * their permissions exist before they do. The role itself is referenced by them anyway (cfn-lint W3005).
 */
export function dependOnPolicy(role: IConstruct): void {
  Dependable.implement(role, {
    get dependencyRoots() {
      return role.node.children.filter(({ node }) => node.id === 'DefaultPolicy');
    },
  });
}
