// `npm run -s drift -- --stage <stage> --assembly <folder>`: fails if resources were changed by hand, or if CloudFormation could not read some.

import { readAssemblyArguments, stacksIn } from './assembly.ts';
import { CommandFailed, cdk, runCommand } from './cdk.ts';
import { unreadableResources } from './unreadable-resources.ts';

const USAGE = `npm run -s drift -- --stage <stage> --assembly <folder>

  --stage <stage>      which stage
  --assembly <folder>  the templates that \`npm run cdk -- synth --output <folder>\` has written`;

await runCommand(USAGE, readAssemblyArguments, async ({ stage, assembly }) => {
  const problems: string[] = [];
  try {
    await cdk(['drift', `${stage}/*`, '--app', assembly, '--fail']);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    problems.push(error.message);
  }
  for (const stack of stacksIn(assembly, stage)) {
    const unreadable = await unreadableResources(stack).catch((error: Error) => [`${stack.name}: ${error.message}`]);
    problems.push(...unreadable.map((line) => `not checked: ${line}`));
  }
  if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
});
