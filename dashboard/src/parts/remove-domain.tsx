// To remove a domain: what happens then, and its name typed to confirm.

import Alert from '@cloudscape-design/components/alert';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { useChange } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { Dialog } from './dialog.tsx';

export interface RemoveDomainProps {
  readonly domain: Domain;
  readonly close: () => void;
  readonly removed: () => void;
}

export function RemoveDomain({ domain: { projectId, domainId, host }, close, removed }: RemoveDomainProps) {
  const [typed, setTyped] = useState('');
  const remove = useChange(
    (api) => unwrap(api.DELETE('/dashboard/v1/projects/{projectId}/domains/{domainId}', { params: { path: { projectId, domainId } } })),
    { stale: [['domains', projectId]], said: `${host} is not served any more.`, showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header={`Remove ${host}`}
      action={{
        text: 'Remove',
        run: () => remove.mutate(undefined, { onSuccess: removed }),
        busy: remove.isPending,
        disabled: typed.trim() !== host,
      }}
      failure={remove.error}
    >
      <Alert type="warning">
        Visitors of {host} are turned away at once, and its certificate is given up. Redirects to it end. Records that you have set yourself stay
        where they are: remove them too, so that nobody else can point them elsewhere.
      </Alert>
      <FormField label={`To confirm, type ${host}`}>
        <Input value={typed} onChange={({ detail }) => setTyped(detail.value)} autoComplete="off" />
      </FormField>
    </Dialog>
  );
}
