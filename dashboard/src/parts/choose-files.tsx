// Choosing what to publish: by drag and drop, or with the browser's dialogs.

import { type DragEvent, useEffect, useRef, useState } from 'react';
import { filesOfDrop, filesOfInput } from '../publish/chosen.ts';
import type { PublishActions } from '../publish/use-publishing.ts';
import { Button } from '../ui/button.tsx';

const hasFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>) => dataTransfer.types.includes('Files');

/** An area for files that are dropped, and buttons to choose them. @param isFirst whether nothing is published yet, so that it is what to do next */
export function ChooseFiles({ choose, isFirst }: Pick<PublishActions, 'choose'> & { readonly isFirst: boolean }) {
  const [isOver, setOver] = useState(false);
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
        <ChooseButton text="Choose folder" isFolder {...(isFirst && { kind: 'primary' })} choose={choose} />
        <ChooseButton text="Choose files or zip" choose={choose} />
      </div>
    </div>
  );
}

/** What is dropped beside the area would replace the page. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const stop = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, stop);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, stop);
    };
  }, []);
}

interface ChooseButtonProps {
  readonly text: string;
  /** @default false */
  readonly isFolder?: boolean;
  readonly kind?: 'primary';
  readonly choose: PublishActions['choose'];
}

function ChooseButton({ text, kind, isFolder = false, choose }: ChooseButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={text}
        onChange={({ target }) => {
          if (target.files !== null && target.files.length > 0) choose(filesOfInput(target.files));
          target.value = '';
        }}
      />
      <Button {...(kind && { kind })} onClick={() => input.current?.click()} icon={isFolder ? 'folder' : 'upload'}>
        {text}
      </Button>
    </>
  );
}
