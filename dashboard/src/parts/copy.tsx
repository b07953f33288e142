// Text with a copy button.

import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

/** @param label the button's accessible name */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  return <CopyToClipboard variant="inline" textToCopy={text} copyButtonAriaLabel={label} copySuccessText="Copied" copyErrorText="Copying failed" />;
}
