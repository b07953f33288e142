// Text with a copy button: next to it, or below it on narrow screens, as wide as there is room.

import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import { useNarrow } from '../narrow.ts';
import { Breakable } from './breakable.tsx';

const OUTCOMES = { copySuccessText: 'Copied', copyErrorText: 'Copying failed' } as const;

/** @param label the button's accessible name; it starts with Copy, the button's text on narrow screens */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = <Breakable text={text} />;
  if (!useNarrow()) return <CopyToClipboard variant="inline" textToCopy={text} textToDisplay={shown} copyButtonAriaLabel={label} {...OUTCOMES} />;
  return (
    <span className="copy">
      <span>{shown}</span>
      <CopyToClipboard textToCopy={text} copyButtonText="Copy" copyButtonAriaLabel={label} {...OUTCOMES} />
    </span>
  );
}
