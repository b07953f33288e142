// Runs a state machine's definition as Step Functions does, but instantly: waits advance the test's clock. The emulator runs the same definition
// for real (test/deploy); here it runs hundreds of times, with faults.

import type { StateMachineDefinition } from '../../infra/workflow/definition.ts';

export interface Execution {
  readonly end: string;
  readonly path: readonly string[];
}

type Invoke = (payload: { step: string; domainId: string; generation: number }) => Promise<{ state: string; waitSeconds: number }>;
type Data = Readonly<Record<string, unknown>>;

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
  let data: Data = input;
  for (let name = StartAt; way.length < mostStates; ) {
    way.push(name);
    const state = States[name];
    switch (state?.Type) {
      case 'Task': {
        const { Payload } = filled(state.Parameters, data) as { Payload: Parameters<Invoke>[0] };
        const { MaxAttempts } = state.Retry[0] as { MaxAttempts: number };
        const outcome = await retried(() => invoke(Payload), MaxAttempts);
        // The paths of these results have one name.
        if (outcome !== undefined) data = { ...data, [state.ResultPath.replace('$.', '')]: filled(state.ResultSelector, { Payload: outcome }) };
        name = outcome === undefined ? (state.Catch[0]?.Next ?? '') : state.Next;
        break;
      }
      case 'Choice':
        name = state.Choices.find(({ Variable, StringEquals }) => StringEquals === valueAt(Variable, data))?.Next ?? state.Default;
        break;
      case 'Wait':
        await sleep('Seconds' in state ? state.Seconds : Number(valueAt(state.SecondsPath, data)));
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

/** @throws Error for a path that leads nowhere, as Step Functions fails the execution */
function valueAt(path: string, data: Data): unknown {
  const value = path
    .split('.')
    .slice(1)
    .reduce<unknown>((inside, key) => (inside as Data | undefined)?.[key], data);
  if (value === undefined) throw new Error(`nothing at ${path} in ${JSON.stringify(data)}`);
  return value;
}

/** Replaces the fields whose names end with `.$` by what is at their paths. */
function filled(template: object, data: Data): Data {
  const fields = Object.entries(template).map(([key, value]) => {
    if (key.endsWith('.$')) return [key.slice(0, -2), valueAt(value, data)];
    return [key, typeof value === 'object' ? filled(value, data) : value];
  });
  return Object.fromEntries(fields);
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
