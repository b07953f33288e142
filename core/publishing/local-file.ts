// A file to publish, where it is now: on the user's machine.

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
