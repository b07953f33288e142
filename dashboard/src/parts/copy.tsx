// A text with a button that copies it.

import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

/** @param label what the button says to whoever can't see what stands beside it */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  return <CopyToClipboard variant="inline" textToCopy={text} copyButtonAriaLabel={label} copySuccessText="Copied" copyErrorText="Copying failed" />;
}
