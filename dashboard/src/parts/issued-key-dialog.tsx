// The dialog that shows a new key, until its owner has saved it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useApplication } from '../context.tsx';
import { clientCall, curlCall } from '../first-call.ts';
import type { IssuedKey } from '../key-rows.ts';
import { Dialog } from './dialog.tsx';
import { Breakable, Copy } from './text.tsx';

export interface IssuedKeyDialogProps {
  readonly of: IssuedKey;
  /** Hides the dialog; the key is kept. */
  readonly hide: () => void;
  readonly confirm: () => void;
}

/** Dialog that shows a new key, and how to use it. */
export function IssuedKeyDialog({ of, hide, confirm }: IssuedKeyDialogProps) {
  const { session } = useApplication();
  return (
    <Dialog stays wide close={hide} header={`Your new key: ${of.name}`} action={{ text: "I've saved it", run: confirm }}>
      <SpaceBetween size="m">
        <Alert type="info">Save it now: we don't store it. This tab shows it again until you confirm.</Alert>
        <Copy text={of.key} label="Copy the key" />
        <Example title="First call with curl" label="Copy the curl command" code={curlCall(session.apiUrl, of)} />
        <Example
          title="With the client for JavaScript and TypeScript"
          description="It reads the key from the environment variable PETSTORE_KEY."
          label="Copy the program"
          code={clientCall(session.apiUrl, of)}
        />
      </SpaceBetween>
    </Dialog>
  );
}

interface ExampleProps {
  readonly title: string;
  readonly description?: string;
  readonly label: string;
  readonly code: string;
}

function Example({ title, description, label, code }: ExampleProps) {
  return (
    <div className="copy">
      <Box variant="h3">{title}</Box>
      {description !== undefined && <Box variant="p">{description}</Box>}
      <pre className="code">
        <Breakable text={code} slashes />
      </pre>
      <CopyToClipboard textToCopy={code} copyButtonText="Copy" copyButtonAriaLabel={label} copySuccessText="Copied" copyErrorText="Copying failed" />
    </div>
  );
}
