import { spawn } from 'node:child_process';
import fs, { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createFolderDurably, renameDurably, writeDurably } from '../../../adapters/files/durable.ts';
import { testFolder } from '../../support/folders.ts';

const original = { fsyncSync: fs.fsyncSync, renameSync: fs.renameSync };

afterEach(() => {
  Object.assign(fs, original);
  syncBuiltinESMExports();
});

/** Records what reaches the disk, in order. */
function recordDisk(): string[] {
  const done: string[] = [];
  fs.fsyncSync = (descriptor) => {
    done.push(`sync ${fs.readlinkSync(`/proc/self/fd/${descriptor}`)}`);
    original.fsyncSync(descriptor);
  };
  fs.renameSync = (from, to) => {
    done.push(`rename ${from} ${to}`);
    original.renameSync(from, to);
  };
  syncBuiltinESMExports();
  return done;
}

describe('writeDurably', () => {
  test('gives the file its name when it is on the disk, and then puts the name there', () => {
    const folder = testFolder();
    const file = join(folder, 'keys.json');
    const partial = `${file}.${process.pid}.partial`;
    const done = recordDisk();
    writeDurably(file, 'text');
    expect(done).toEqual([`sync ${partial}`, `rename ${partial} ${file}`, `sync ${folder}`]);
    expect(readFileSync(file, 'utf8')).toBe('text');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('puts the folders that it creates on the disk too, readable by their owner only', () => {
    const folder = testFolder();
    const done = recordDisk();
    writeDurably(join(folder, 'a', 'b', 'file'), 'text');
    expect(done.slice(0, 2)).toEqual([`sync ${join(folder, 'a')}`, `sync ${folder}`]);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  test('leaves the old content and nothing else if it fails', () => {
    const folder = testFolder();
    const file = join(folder, 'keys.json');
    writeDurably(file, 'old');
    fs.fsyncSync = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    syncBuiltinESMExports();
    expect(() => writeDurably(file, 'new')).toThrow('EIO');
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  test('a killed process leaves the file whole', async () => {
    const folder = testFolder();
    const file = join(folder, 'keys.json');
    const module = join(import.meta.dirname, '../../../adapters/files/durable.ts');
    const script = `import { writeDurably } from ${JSON.stringify(module)};
      for (let n = 0; ; n++) { writeDurably(${JSON.stringify(file)}, String(n % 10).repeat(1_000_000)); if (n === 3) console.log('begun'); }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await ended;
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(text.charAt(0).repeat(1_000_000));
  });
});

test('createFolderDurably creates what is missing, and accepts what exists', async () => {
  const folder = testFolder();
  const deep = join(folder, 'a', 'b', 'c');
  await createFolderDurably(deep);
  await createFolderDurably(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
});

test('renameDurably replaces a file', async () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'to'));
  for (const name of ['from', 'to/file']) writeFileSync(join(folder, name), name);
  await renameDurably(join(folder, 'from'), join(folder, 'to', 'file'));
  expect(readFileSync(join(folder, 'to', 'file'), 'utf8')).toBe('from');
  expect(readdirSync(folder)).toEqual(['to']);
});
