// What the judge has seen in a run: calls, violations of service models, decisions on permissions.

import { type Violation, violationText } from './rules/service-model.ts';

export interface Denial {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  /** The role's stack was being deleted: CloudFormation doesn't wait for a function's calls that are in progress. */
  readonly isBeingDeleted: boolean;
}

/** Name prefix of roles with a deliberate mistake: a test expects their calls to be denied. */
export const WRONG_ROLE_PREFIX = 'wrong-';

export interface JudgeRecord {
  readonly calls: Map<string, number>;
  readonly violations: Violation[];
  readonly denials: Denial[];
  /** Calls that the emulator's own IAM denied, although the judge allows them. */
  readonly disputes: string[];
  /** Calls that could not be judged. */
  readonly faults: string[];
  /** By role: the permissions that allowed a call (principals.ts, `permissionsOf`). */
  readonly used: Map<string, Set<string>>;
}

export function newRecord(): JudgeRecord {
  return { calls: new Map(), violations: [], denials: [], disputes: [], faults: [], used: new Map() };
}

/** Problems that fail the run, one per line. */
export function problemsOf({ violations, denials, disputes, faults }: JudgeRecord): readonly string[] {
  const lines = [
    ...violations.map((violation) => `AWS would refuse the request: ${violationText(violation)}`),
    ...denials
      .filter(({ role, isBeingDeleted }) => !isBeingDeleted && !role.startsWith(WRONG_ROLE_PREFIX))
      // `cdk diff` first tries the lookup role of `cdk bootstrap`, and continues with its own role.
      .filter(({ action, resource }) => !(action === 'sts:AssumeRole' && resource.includes('-lookup-role-')))
      .map(({ role, action, resource }) => `AWS would deny the call: ${role} may not ${action} on ${resource}`),
    ...disputes.map((text) => `the emulator's IAM denied what the policies allow: ${text}`),
    ...faults.map((text) => `not judged: ${text}`),
  ];
  return [...new Set(lines)];
}

/** A line on the number of calls, operations and services. */
export function countsOf({ calls, violations, denials }: JudgeRecord): string {
  const total = [...calls.values()].reduce((sum, each) => sum + each, 0);
  const services = new Set([...calls.keys()].map((operation) => operation.split(':')[0]));
  const wrong = denials.filter(({ role }) => role.startsWith(WRONG_ROLE_PREFIX)).length;
  const late = denials.filter(({ isBeingDeleted }) => isBeingDeleted).length;
  return (
    `${total} requests, ${calls.size} operations of ${services.size} services; ${violations.length} violations of service models; ` +
    `${denials.length - wrong - late} denied; also denied: ${wrong} from roles with a deliberate mistake, ${late} from roles that were being deleted`
  );
}
