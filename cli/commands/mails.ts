// petstore mails

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { htmlText } from '../../core/notifications/layout.ts';
import { type MailSample, mailSamples } from '../../core/notifications/samples.ts';
import { messageOf } from '../../platforms/platform.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand } from '../context.ts';

/** Adds `petstore mails`. */
export function addMailCommands(program: Command, context: CommandContext): void {
  const mails = program.command('mails').description('the emails that the service sends');
  subcommand(mails, 'preview <folder>', 'write a sample of every email to a folder, and an index.html that shows them all').action(
    (folder: string, { json }: JsonOption) => {
      const samples = mailSamples();
      const index = join(resolve(folder), 'index.html');
      try {
        createFolders(resolve(folder));
        for (const { name, message } of samples) {
          writeFileSync(join(folder, `${name}.html`), message.html);
          writeFileSync(join(folder, `${name}.txt`), message.text);
        }
        writeFileSync(index, indexOf(samples));
      } catch (error) {
        throw new CliError(`can't write the emails: ${messageOf(error)}; name a folder in which you can create files`);
      }
      print(
        context,
        json,
        { index, mails: samples.map(({ name, message: { subject } }) => ({ name, subject })) },
        () => `Wrote ${samples.length} emails: ${index}`,
      );
    },
  );
}

/** Not with `recursive`, which hangs if a file system refuses with ENOENT, as /proc does. */
function createFolders(folder: string): void {
  if (existsSync(folder)) return;
  createFolders(dirname(folder));
  mkdirSync(folder);
}

function indexOf(samples: readonly MailSample[]): string {
  const section = ({ name, message: { subject, text } }: MailSample) => `<section id="${name}">
<h2>${htmlText(subject)} <small><a href="${name}.html">${name}.html</a> <a href="${name}.txt">${name}.txt</a></small></h2>
<div><iframe src="${name}.html" title="${htmlText(subject)}" sandbox></iframe><pre>${htmlText(text)}</pre></div>
</section>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Emails of Petstore</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 1rem }
div { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem }
iframe { width: 100%; height: 34rem; border: 1px solid }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
</style></head>
<body><h1>Emails</h1>
${samples.map(section).join('\n')}
</body></html>
`;
}
