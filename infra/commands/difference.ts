// `npm run -s difference -- --stage <stage> --assembly <folder>`: what a deployment of synthesized templates would change, as Markdown.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { CDK, CommandFailed, ROOT, runCommand } from './cdk.ts';

const USAGE = `npm run -s difference -- --stage <stage> --assembly <folder>

  --stage <stage>      which stage
  --assembly <folder>  the templates that \`npm run cdk -- synth --output <folder>\` has written`;

/** In characters. A comment on GitHub has at most 65,536, and there are two stages. */
const LONGEST = 30_000;

await runCommand(async () => {
  const { stage, assembly } = readArguments();
  // Templates are compared without a change set, which only a role that may deploy can create.
  const args = ['diff', `${stage}/*`, '--app', assembly, '--method', 'template', '--no-color', '--ci'];
  const child = spawn(process.execPath, [CDK, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CommandFailed(`cdk diff ended with ${code}:\n${text}`);
  console.log(markdown(stage, text.trim()));
});

function readArguments() {
  try {
    const { values } = parseArgs({ options: { stage: { type: 'string' }, assembly: { type: 'string' } } });
    const { stage, assembly } = values;
    if (stage === undefined || assembly === undefined) throw new Error(`${stage === undefined ? '--stage' : '--assembly'}: missing`);
    return { stage, assembly };
  } catch (error) {
    throw new CommandFailed(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
}

function markdown(stage: string, text: string): string {
  const cut = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} more characters`;
  return `### ${stage}\n\n\`\`\`\`text\n${cut.replaceAll('````', "'''")}\n\`\`\`\`\n`;
}
