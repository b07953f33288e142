// How much of an upload is done. A file that is sent to several addresses counts once.

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** One request of an upload. */
interface Request {
  readonly name: string;
}

export interface Progress {
  /** Begins, or continues after an interruption: what was not sent completely is listed again. */
  begin(): void;
  /** The service asks for these requests. */
  listed(requests: readonly Request[]): void;
  /** The number of bytes of a request that were sent so far. */
  moved(request: Request, bytes: number): void;
  sent(request: Request): void;
  /** What is done, never less than it was before. */
  done(): Amount;
}

/** Creates the progress of an upload, which continues with the upload. */
export function createProgress(files: readonly LocalFile[]): Progress {
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const finished = new Set<string>();
  /** The number of requests to go, by the name of the file. */
  const pending = new Map<string, number>();
  const moving = new Map<Request, number>();
  let finishedBytes = 0;
  let highest: Amount = { files: 0, bytes: 0 };
  const sizeOf = (name: string) => sizes.get(name) ?? 0;

  return {
    begin: () => {
      pending.clear();
      moving.clear();
    },
    listed: (requests) => {
      for (const { name } of requests) {
        pending.set(name, (pending.get(name) ?? 0) + 1);
        if (finished.delete(name)) finishedBytes -= sizeOf(name);
      }
    },
    moved: (request, bytes) => void moving.set(request, bytes),
    sent: (request) => {
      const { name } = request;
      const left = (pending.get(name) ?? 1) - 1;
      moving.delete(request);
      pending.set(name, left);
      if (left > 0 || finished.has(name)) return;
      finished.add(name);
      finishedBytes += sizeOf(name);
    },
    done: () => {
      const bytes = [...moving].reduce((sum, [{ name }, sent]) => sum + Math.min(sent, sizeOf(name)) / (pending.get(name) ?? 1), finishedBytes);
      highest = { files: Math.max(highest.files, finished.size), bytes: Math.max(highest.bytes, Math.floor(bytes)) };
      return highest;
    },
  };
}

/** Percent done, rounded down; by files if all of them are empty. */
export function percentOf(done: Amount, all: Amount): number {
  if (all.bytes > 0) return Math.floor((100 * done.bytes) / all.bytes);
  return all.files > 0 ? Math.floor((100 * done.files) / all.files) : 0;
}

/** A file that can be published. */
export interface LocalFile {
  /** Relative path with `/` between segments. */
  readonly name: string;
  readonly bytes: number;
  /** Returns the content. Rejects with UnreadableFile. */
  read(): Promise<Blob>;
}

/** A file, or a zip, that can't be read; the message is for the user. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
