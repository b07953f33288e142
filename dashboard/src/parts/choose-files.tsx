// Choosing what to publish: by drag and drop, or with the browser's dialogs.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FileDropzone from '@cloudscape-design/components/file-dropzone';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useRef } from 'react';
import { filesOfDrop, filesOfInput } from '../publish/chosen.ts';
import type { PublishActions } from '../publish/use-publishing.ts';

/** An area for files that are dropped, and buttons to choose them. */
export function ChooseFiles({ choose }: Pick<PublishActions, 'choose'>) {
  return (
    <div
      onDropCapture={({ dataTransfer }) => {
        if (dataTransfer.types.includes('Files')) choose(filesOfDrop(dataTransfer));
      }}
    >
      <FileDropzone onChange={() => {}}>
        <SpaceBetween size="s" alignItems="center">
          <Box>Drop a folder, files, or a zip here.</Box>
          <SpaceBetween direction="horizontal" size="xs">
            <ChooseButton text="Choose folder" isFolder choose={choose} />
            <ChooseButton text="Choose files or zip" choose={choose} />
          </SpaceBetween>
        </SpaceBetween>
      </FileDropzone>
    </div>
  );
}

interface ChooseButtonProps {
  readonly text: string;
  /** @default false */
  readonly isFolder?: boolean;
  readonly choose: PublishActions['choose'];
}

function ChooseButton({ text, isFolder = false, choose }: ChooseButtonProps) {
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
      <Button onClick={() => input.current?.click()} iconName={isFolder ? 'folder' : 'upload'}>
        {text}
      </Button>
    </>
  );
}
