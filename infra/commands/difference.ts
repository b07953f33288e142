// `npm run -s difference -- --stage <stage> --assembly <folder>`: what a deployment of synthesized templates would change, as Markdown. It only reads
// the templates of deployed stacks, so that a role that may do nothing else can run it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { readAssemblyArguments, type SynthesizedStack, stacksIn } from './assembly.ts';
import { CDK, CommandFailed, ROOT, runCommand } from './cdk.ts';

const USAGE = `npm run -s difference -- --stage <stage> --assembly <folder>

  --stage <stage>      which stage
  --assembly <folder>  the templates that \`npm run cdk -- synth --output <folder>\` has written`;

/** In characters. A comment on GitHub has at most 65,536, and there are two stages. */
const LONGEST = 30_000;

await runCommand(USAGE, readAssemblyArguments, async ({ stage, assembly }) => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-difference-'));
  try {
    const texts: string[] = [];
    for (const stack of stacksIn(assembly, stage)) {
      const { path, name } = stack;
      const template = await deployedTemplate(stack);
      const file = join(folder, `${name}.json`);
      writeFileSync(file, template ?? '{}');
      texts.push(`${template === undefined ? `Stack ${name} is new\n` : ''}${await difference(assembly, path, file)}`);
    }
    console.log(markdown(stage, texts.join('\n\n').trim()));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** @returns undefined if there is no such stack */
async function deployedTemplate({ name: StackName, region }: SynthesizedStack): Promise<string | undefined> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    return (await client.send(new GetTemplateCommand({ StackName }))).TemplateBody;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)) return undefined;
    throw new CommandFailed(
      `${StackName}: can't read its template: ${error instanceof Error ? error.message : error}; check AWS credentials and AWS_REGION`,
    );
  } finally {
    client.destroy();
  }
}

async function difference(assembly: string, path: string, template: string): Promise<string> {
  const args = ['diff', path, '--exclusively', '--app', assembly, '--template', template, '--no-color', '--ci'];
  const child = spawn(process.execPath, [CDK, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CommandFailed(`cdk diff ended with ${code}:\n${text}`);
  return text.trim();
}

function markdown(stage: string, text: string): string {
  const cut = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} more characters`;
  return `### ${stage}\n\n\`\`\`\`text\n${cut.replaceAll('````', "'''")}\n\`\`\`\`\n`;
}
