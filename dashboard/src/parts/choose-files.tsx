// Choosing what to publish: by drag and drop, or with the browser's dialogs.

import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { filesOfDrop, filesOfInput } from '../publish/chosen.ts';
import type { PublishActions } from '../publish/use-publishing.ts';
import { Button } from '../ui/button.tsx';

const hasFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>) => dataTransfer.types.includes('Files');

/** An area where files can be dropped, and buttons to choose them. @param isFirst whether this is the next step, because nothing is published yet */
export function ChooseFiles({ choose, isFirst }: Pick<PublishActions, 'choose'> & { readonly isFirst: boolean }) {
  const [isOver, setOver] = useState(false);
  const taken = (files: readonly File[]) => choose(filesOfInput(files));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same
    <div
      className="drop stack"
      data-over={isOver}
      onDragOver={(event) => setOver(hasFiles(event))}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (hasFiles(event)) choose(filesOfDrop(event.dataTransfer));
      }}
    >
      <p>Drop a folder, files, or a zip here.</p>
      <div className="row">
        <FileButton text="Choose folder" isFolder kind={isFirst ? 'primary' : undefined} choose={taken} />
        <FileButton text="Choose files or zip" choose={taken} />
      </div>
    </div>
  );
}

/** Ignores files that are dropped outside the area, which would replace the page. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const stop = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, stop);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, stop);
    };
  }, []);
}

export interface FileButtonProps {
  readonly text: string;
  /** The accessible name of the file input. @default the text */
  readonly label?: string;
  /** The media type, if only a single file may be chosen. @default several files of any type */
  readonly accept?: string;
  /** @default false */
  readonly isFolder?: boolean;
  readonly kind?: 'primary' | undefined;
  readonly choose: (files: readonly File[]) => void;
}

/** A button that opens the browser's dialog for files. */
export function FileButton({ text, label = text, accept, kind, isFolder = false, choose }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  const chosen = ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.files !== null && target.files.length > 0) choose([...target.files]);
    target.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple={accept === undefined} accept={accept} hidden aria-label={label} onChange={chosen} />
      <Button {...(kind && { kind })} onClick={() => input.current?.click()} icon={isFolder ? 'folder' : 'upload'}>
        {text}
      </Button>
    </>
  );
}
