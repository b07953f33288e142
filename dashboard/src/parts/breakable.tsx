// Text with host names, which are too long for some lines: a line may end after a dot as well, and browsers break after hyphens themselves.

import { Fragment } from 'react';

/** Text whose lines may end after dots within words, and not elsewhere in words. What is copied is the text alone. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=\.)(?=[\p{L}\p{N}_-])/u).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
