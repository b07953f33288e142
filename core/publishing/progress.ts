// How much of an upload is done. A file that is sent to several targets counts once.

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

interface Request {
  readonly name: string;
}

export interface Progress {
  /** Begins, or continues after an interruption; files that were not sent completely are listed again. */
  begin(): void;
  /** Records that the service requires these requests. */
  listed(requests: readonly Request[]): void;
  /** Records the number of bytes of a request sent so far. */
  moved(request: Request, bytes: number): void;
  sent(request: Request): void;
  /** Returns the amount done, which never decreases. */
  done(): Amount;
}

/** Creates a progress tracker for an upload, which continues after interruptions. */
export function createProgress(files: readonly LocalFile[]): Progress {
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const finished = new Set<string>();
  /** The number of remaining requests, by file name. */
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

/** Returns the percentage done, rounded down; based on the number of files if all of them are empty. */
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

/** Thrown if a file or a zip can't be read; the message is for the user. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
