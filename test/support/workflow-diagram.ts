// Draws the state machine as a diagram (Mermaid) from its definition. Choices become arrows labeled with the domain's state.

import type { AslState, StateMachineDefinition } from '../../infra/workflow/definition.ts';

/** Returns the diagram's source. */
export function workflowDiagram({ StartAt, States }: StateMachineDefinition): string {
  const lines = [`  [*] --> ${StartAt}`];
  for (const [name, state] of Object.entries(States)) lines.push(...arrowsFrom(name, state, States));
  return `stateDiagram-v2\n${lines.join('\n')}\n`;
}

function arrowsFrom(name: string, state: AslState, states: StateMachineDefinition['States']): string[] {
  switch (state.Type) {
    case 'Task': {
      const choice = states[state.Next];
      if (choice?.Type !== 'Choice') return [`  ${name} --> ${state.Next}`];
      const arrows = choice.Choices.map(({ StringEquals, Next }) => `  ${name} --> ${Next}: ${StringEquals}`);
      return [...arrows, `  ${name} --> ${choice.Default}: anything else`];
    }
    case 'Wait':
      return [`  ${name} --> ${state.Next}${'Seconds' in state ? `: ${state.Seconds} s` : ': as the schedule says'}`];
    case 'Succeed':
      return [`  ${name} --> [*]`];
    case 'Choice':
      return [];
  }
}
