// The dialog that shows a new key, until its owner has saved it.

import { useApplication } from '../context.tsx';
import { clientCall, curlCall } from '../first-call.ts';
import type { IssuedKey } from '../key-rows.ts';
import { Notice } from '../ui/blocks.tsx';
import { Dialog } from './dialog.tsx';
import { Breakable, Copy, CopyButton } from './text.tsx';

export interface IssuedKeyDialogProps {
  readonly of: IssuedKey;
  /** Hides the dialog, but keeps the key. */
  readonly hide: () => void;
  readonly confirm: () => void;
}

/** Dialog that shows a new key, and how to use it. */
export function IssuedKeyDialog({ of, hide, confirm }: IssuedKeyDialogProps) {
  const { session } = useApplication();
  return (
    <Dialog stays wide close={hide} header={`Your new key: ${of.name}`} action={{ text: "I've saved it", run: confirm }}>
      <Notice kind="warning">Save it now: we can't show it again. Until you confirm, only this tab keeps it.</Notice>
      <div className="secret">
        <Copy text={of.key} label="Copy the key" />
      </div>
      <Example title="First call with curl" label="Copy the curl command" code={curlCall(session.apiUrl, of)} />
      <Example
        title="With the client for JavaScript and TypeScript"
        description="It reads the key from the environment variable PETSTORE_KEY."
        label="Copy the program"
        code={clientCall(session.apiUrl, of)}
      />
      <p>
        Or <a href="/docs#listPets">try it in the API reference</a>. You'll find the key here again when you come back.
      </p>
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
    <div className="example">
      <h3>{title}</h3>
      {description !== undefined && <p className="muted">{description}</p>}
      <CopyButton text={code} label={label} />
      <pre>
        <Breakable text={code} slashes />
      </pre>
    </div>
  );
}
