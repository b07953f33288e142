// Runs a state machine's definition as Step Functions does, but instantly: waits advance the test's clock. The emulator runs the same definition
// for real (test/deploy); here it runs hundreds of times, with faults.

import type { StateMachineDefinition } from '../../infra/workflow/definition.ts';

export interface Execution {
  readonly end: string;
  readonly path: readonly string[];
}

type Invoke = (payload: { step: string; domainId: string; generation: number }) => Promise<{ state: string; waitSeconds: number }>;

/**
 * Runs one execution to its end.
 *
 * @param sleep called with the seconds of each wait
 * @param mostStates maximum number of states; a longer run counts as endless
 * @returns the last state, and all states in order
 */
export async function execute(
  { StartAt, States }: StateMachineDefinition,
  input: { readonly domainId: string; readonly generation: number },
  invoke: Invoke,
  sleep: (seconds: number) => Promise<void> | void,
  mostStates = 2_000,
): Promise<Execution> {
  const way: string[] = [];
  let domain = { state: '', waitSeconds: 0 };
  for (let name = StartAt; way.length < mostStates; ) {
    way.push(name);
    const state = States[name];
    switch (state?.Type) {
      case 'Task': {
        const { step } = (state.Parameters as { Payload: { step: string } }).Payload;
        const { MaxAttempts } = state.Retry[0] as { MaxAttempts: number };
        const outcome = await retried(() => invoke({ step, ...input }), MaxAttempts);
        if (outcome !== undefined) domain = outcome;
        name = outcome === undefined ? (state.Catch[0]?.Next ?? '') : state.Next;
        break;
      }
      case 'Choice':
        name = state.Choices.find(({ StringEquals }) => StringEquals === domain.state)?.Next ?? state.Default;
        break;
      case 'Wait':
        await sleep('Seconds' in state ? state.Seconds : domain.waitSeconds);
        name = state.Next;
        break;
      case 'Succeed':
        return { end: name, path: way };
      default:
        throw new Error(`no state ${name}`);
    }
  }
  throw new Error(`no end after ${mostStates} states: ${way.slice(-10).join(' ')}`);
}

async function retried<T>(work: () => Promise<T>, retries: number): Promise<T | undefined> {
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    const result = await work().then(
      (value) => ({ value }),
      () => undefined,
    );
    if (result !== undefined) return result.value;
  }
  return undefined;
}
