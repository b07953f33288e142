// The domain workflow as a state machine (Amazon States Language). Each task is one small step that is safe to repeat. A step stores its findings
// with the domain; its result contains the domain's state and how long to wait. docs/domain-workflow.md has a diagram.

import type { DomainState } from '../../core/domains/domain.ts';
import type { StepName } from '../../core/domains/states.ts';

interface Choice {
  readonly Variable: string;
  readonly StringEquals: string;
  readonly Next: string;
}

export type AslState =
  | {
      readonly Type: 'Task';
      readonly Resource: string;
      readonly Parameters: object;
      readonly ResultSelector: object;
      readonly ResultPath: string;
      readonly TimeoutSeconds: number;
      readonly Retry: readonly object[];
      readonly Catch: readonly { readonly ErrorEquals: readonly string[]; readonly ResultPath: string; readonly Next: string }[];
      readonly Next: string;
    }
  | { readonly Type: 'Choice'; readonly Choices: readonly Choice[]; readonly Default: string }
  | { readonly Type: 'Wait'; readonly SecondsPath: string; readonly Next: string }
  | { readonly Type: 'Wait'; readonly Seconds: number; readonly Next: string }
  | { readonly Type: 'Succeed'; readonly Comment?: string };

export interface StateMachineDefinition {
  readonly Comment: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, AslState>>;
}

/** The wait after the last retry, in seconds. The domain keeps its state, and the workflow continues from there. */
const PAUSE_SECONDS = 300;
/** Time limit for a step, whose DNS lookup takes less than a minute. */
export const STEP_TIMEOUT_SECONDS = 90;
/** After 2, 4, 8 … seconds, with full jitter, so that many executions don't retry at the same time. */
const RETRY = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 2, BackoffRate: 2, MaxAttempts: 6, MaxDelaySeconds: 60, JitterStrategy: 'FULL' }];

/** The next task for each domain state, from any task. */
type Transitions = Partial<Readonly<Record<DomainState['name'], string>>>;

/** Returns the state machine's definition. @param functionArn the function that performs the steps */
export function domainWorkflow(functionArn: string): StateMachineDefinition {
  const task = (step: StepName, next: string): AslState => ({
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Parameters: { FunctionName: functionArn, Payload: { step, 'domainId.$': '$.domainId', 'generation.$': '$.generation' } },
    ResultSelector: { 'state.$': '$.Payload.state', 'waitSeconds.$': '$.Payload.waitSeconds' },
    ResultPath: '$.domain',
    TimeoutSeconds: STEP_TIMEOUT_SECONDS,
    Retry: RETRY,
    Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.fault', Next: 'Pause' }],
    Next: next,
  });
  const choice = (ways: Transitions): AslState => ({
    Type: 'Choice',
    Choices: Object.entries(ways).map(([state, next]) => ({ Variable: '$.domain.state', StringEquals: state, Next: next })),
    Default: 'Stopped',
  });
  const wait = (next: string): AslState => ({ Type: 'Wait', SecondsPath: '$.domain.waitSeconds', Next: next });

  return {
    Comment: 'A custom domain, from Verify to live, and from Remove to removed',
    StartAt: 'Guard',
    States: {
      Guard: task('guard', 'WhereItStands'),
      WhereItStands: choice({
        verifying: 'CheckDns',
        dns_failed: 'CheckDns',
        verified: 'RequestCertificate',
        certificate_pending: 'CheckCertificate',
        certificate_failed: 'CheckCertificate',
        attaching: 'Attach',
        removing: 'Teardown',
      }),
      CheckDns: task('check_dns', 'IsTheRecordRight'),
      IsTheRecordRight: choice({ verified: 'RequestCertificate', verifying: 'WaitForDns', dns_failed: 'WaitForDns' }),
      WaitForDns: wait('CheckDns'),
      RequestCertificate: task('request_certificate', 'IsItRequested'),
      IsItRequested: choice({ certificate_pending: 'CheckCertificate' }),
      CheckCertificate: task('check_certificate', 'IsItIssued'),
      // Before another attempt, the DNS record may turn out to be wrong.
      IsItIssued: choice({
        attaching: 'GuardAgain',
        certificate_pending: 'WaitForCertificate',
        certificate_failed: 'WaitForCertificate',
        verifying: 'WaitForDns',
      }),
      WaitForCertificate: wait('CheckCertificate'),
      GuardAgain: task('guard', 'MayItGoLive'),
      MayItGoLive: choice({ attaching: 'Attach' }),
      Attach: task('attach', 'IsItAttached'),
      // A certificate that has become unusable meanwhile is requested again.
      IsItAttached: choice({ attaching: 'CheckLive', certificate_pending: 'WaitForCertificate' }),
      CheckLive: task('check_live', 'IsItServed'),
      IsItServed: choice({ live: 'Live', attaching: 'WaitForEdge', certificate_pending: 'WaitForCertificate' }),
      WaitForEdge: wait('CheckLive'),
      Teardown: task('teardown', 'IsItGone'),
      IsItGone: choice({ removed: 'Removed', removing: 'WaitForTeardown' }),
      WaitForTeardown: wait('Teardown'),
      Pause: { Type: 'Wait', Seconds: PAUSE_SECONDS, Next: 'Guard' },
      Live: { Type: 'Succeed' },
      Removed: { Type: 'Succeed' },
      Stopped: { Type: 'Succeed', Comment: 'The owner must act, or another execution has taken over' },
    },
  };
}
