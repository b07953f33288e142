// The state machine's definition. Its execution is tested in test/integration/service/domain-workflow.test.ts.

import validate from 'asl-validator';
import { describe, expect, test } from 'vitest';
import { domainWorkflow } from '../../infra/workflow/definition.ts';
import { workflowDiagram } from '../support/workflow-diagram.ts';

const DEFINITION = domainWorkflow('arn:aws:lambda:eu-central-1:123456789012:function:steps');

describe('workflow definition', () => {
  test('is valid Amazon States Language', () => {
    expect(validate(JSON.parse(JSON.stringify(DEFINITION)))).toMatchObject({ isValid: true });
    const broken = { ...DEFINITION, StartAt: 'Nowhere' };
    expect(validate(JSON.parse(JSON.stringify(broken)))).toMatchObject({ isValid: false });
  });

  test('retries every task with full jitter, and has a catcher for each', () => {
    const tasks = Object.values(DEFINITION.States).filter((state) => state.Type === 'Task');
    expect(tasks.length).toBeGreaterThan(6);
    for (const task of tasks) {
      expect(task.Retry).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], JitterStrategy: 'FULL', MaxAttempts: 6 })]);
      expect(task.Catch).toEqual([expect.objectContaining({ ErrorEquals: ['States.ALL'], Next: 'Pause' })]);
    }
  });

  test('matches the diagram in the documentation', async () => {
    const text = `# The workflow of a custom domain\n\nThe state machine on AWS, generated from its definition (\`infra/workflow/definition.ts\`). The embedded timers take the same steps. Every task is retried with\nfull jitter. If that does not help, the execution pauses for five minutes and starts again at \`Guard\`, which leads to the step that the domain needs. Each\narrow is labeled with the domain state in which it is taken.\n\n\`\`\`mermaid\n${workflowDiagram(DEFINITION)}\`\`\`\n`;
    await expect(text).toMatchFileSnapshot('../../docs/domain-workflow.md');
  });
});
