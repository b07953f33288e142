// Files with paths that the user dropped or chose. A single zip is replaced by the files in it.

import { type LocalFile, UnreadableFile } from '../../../core/publishing/progress.ts';
import { MOST_FILES } from './site-files.ts';

/** Lists the dropped files. Must be called while the drop is handled; afterwards, the browser no longer provides them. @throws UnreadableFile */
export async function filesOfDrop({ items }: DataTransfer): Promise<readonly LocalFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: LocalFile[] = [];
  for (const entry of entries) await addEntry(entry, found);
  return unzipped(found);
}

/** Lists the files in an input. @throws UnreadableFile */
export function filesOfInput(list: ArrayLike<File>): Promise<readonly LocalFile[]> {
  // webkitRelativePath is empty unless a folder was chosen.
  return unzipped(Array.from(list, (file) => siteFile(file.webkitRelativePath || file.name, file)));
}

async function addEntry(entry: FileSystemEntry, found: LocalFile[]): Promise<void> {
  if (found.length >= MOST_FILES) throw new UnreadableFile(`There are more than ${MOST_FILES.toLocaleString()} files.`);
  const name = entry.fullPath.replace(/^\//, '');
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push(siteFile(name, file));
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // Each call returns a part of the entries; the last one returns none.
      const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) return;
      for (const each of part) await addEntry(each, found);
    }
  } catch (cause) {
    throw cause instanceof UnreadableFile ? cause : new UnreadableFile(`${name} can't be read.`, { cause });
  }
}

function siteFile(name: string, file: File): LocalFile {
  return {
    name,
    bytes: file.size,
    read: async () => {
      // Reading fails if the file has changed since it was chosen. In a request, this would look like a broken connection.
      await file.slice(0, 1).arrayBuffer().catch(changed(name));
      return file;
    },
  };
}

function changed(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new UnreadableFile(`${name} has changed, or is gone. Choose the files again.`, { cause });
  };
}

async function unzipped(found: readonly LocalFile[]): Promise<readonly LocalFile[]> {
  const [only] = found;
  if (only === undefined || found.length > 1 || !/^[^/]+\.zip$/i.test(only.name)) return found;
  const { readZip } = await import('./zip.ts');
  return readZip(await only.read());
}
