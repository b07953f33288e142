// Follows a document word by word: writes the files that it shows, and runs the commands that it names.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A step of a walkthrough. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** Lines for a shell, in order. */
  | { readonly kind: 'run' | 'start'; readonly commands: readonly string[] };

/** Reads the blocks that `<!-- file: name -->`, `<!-- run -->` and `<!-- start -->` mark, in order. */
export function stepsOf(document: string): readonly Step[] {
  const blocks = readFileSync(document, 'utf8').matchAll(/<!-- (run|start|file: (\S+)) -->\n+```\w+\n([\s\S]*?)```/g);
  return [...blocks].map(([, kind = '', name, text = '']) =>
    name === undefined ? { kind: kind as 'run' | 'start', commands: text.trim().split('\n') } : { kind: 'file', name, text },
  );
}

/** Writes a step's file. */
export function writeStep(folder: string, { name, text }: Extract<Step, { kind: 'file' }>): void {
  writeFileSync(join(folder, name), text);
}

/** All blocks of TypeScript in a document. */
export function examplesOf(document: string): readonly string[] {
  return [...readFileSync(document, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
}
