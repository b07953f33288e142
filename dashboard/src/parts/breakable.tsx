// Text with host names, which are too long for some lines: a line may end after a dot as well, and browsers break after hyphens themselves.

import { Fragment } from 'react';

const AFTER_DOTS = /(?<=\.)(?=[\p{L}\p{N}_-])/u;
const AFTER_DOTS_AND_SLASHES = /(?<=[./])(?=[\p{L}\p{N}_-])/u;

/**
 * Text whose lines may end after dots within words, and not elsewhere in words. What is copied is the text alone.
 *
 * @param slashes whether lines may end after slashes, too. @default false
 */
export function Breakable({ text, slashes = false }: { readonly text: string; readonly slashes?: boolean }) {
  return text.split(slashes ? AFTER_DOTS_AND_SLASHES : AFTER_DOTS).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
