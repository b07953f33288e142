// `npm run -s difference -- --stage <stage> --assembly <folder>`: what a deployment of synthesized templates would change, as Markdown. It only reads
// the templates of deployed stacks, so that a role that may do nothing else can run it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { CDK, CommandFailed, ROOT, runCommand } from './cdk.ts';

const USAGE = `npm run -s difference -- --stage <stage> --assembly <folder>

  --stage <stage>      which stage
  --assembly <folder>  the templates that \`npm run cdk -- synth --output <folder>\` has written`;

/** In characters. A comment on GitHub has at most 65,536, and there are two stages. */
const LONGEST = 30_000;

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly type: string; readonly displayName?: string; readonly properties: { readonly stackName?: string } }>
  >;
}

await runCommand(async () => {
  const { stage, assembly } = readArguments();
  const folder = mkdtempSync(join(tmpdir(), 'petstore-difference-'));
  try {
    const texts: string[] = [];
    for (const { path, name } of stacksIn(assembly, stage)) {
      const template = await deployedTemplate(name);
      const file = join(folder, `${name}.json`);
      writeFileSync(file, template ?? '{}');
      texts.push(`${template === undefined ? `Stack ${name} is new\n` : ''}${await difference(assembly, path, file)}`);
    }
    console.log(markdown(stage, texts.join('\n\n').trim()));
  } finally {
    rmSync(folder, { recursive: true });
  }
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

/** @returns the stacks with their paths in the application, such as `staging/Data`, and their names, such as `staging-Data` */
function stacksIn(assembly: string, stage: string): readonly { readonly path: string; readonly name: string }[] {
  const { artifacts } = JSON.parse(readFileSync(join(assembly, `assembly-${stage}`, 'manifest.json'), 'utf8')) as Manifest;
  return Object.values(artifacts).flatMap(({ type, displayName: path, properties }) => {
    const name = properties?.stackName;
    return type === 'aws:cloudformation:stack' && path !== undefined && name !== undefined ? [{ path, name }] : [];
  });
}

/** @returns undefined if there is no such stack */
async function deployedTemplate(StackName: string): Promise<string | undefined> {
  const client = new CloudFormationClient({});
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
