// Dialog to remove a domain: states the consequences, and requires the domain's name as confirmation.

import { useState } from 'react';
import { usesOf } from '../configuration-draft.ts';
import { useConfiguration, useRequest } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Checkbox } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';

export interface RemoveDomainProps {
  readonly domain: Domain;
  /** @default the dialog is closed */
  readonly removed?: () => void;
}

/** Dialog to remove a domain. */
export function RemoveDomain({ domain: { projectId, domainId, host }, removed }: RemoveDomainProps) {
  const [withRedirects, setWithRedirects] = useState(false);
  const { data: configuration, isPending } = useConfiguration(projectId);
  const uses = configuration === undefined ? [] : usesOf(configuration, host);
  const remove = useRequest(
    'DELETE',
    '/projects/{projectId}/domains/{domainId}',
    { projectId, domainId },
    // Where `removed` is given, the user leaves the domain's page.
    { query: { withRedirects }, successMessage: `${host} is no longer served.`, ...(removed && { reads: 'user' }) },
  );
  return (
    <Dialog
      header={`Remove ${host}`}
      confirm={host}
      {...changing('Remove', remove, undefined, {
        ...(removed && { done: removed }),
        // The settings that point to the domain must be known first; if they can't be read, the API refuses unsafe removals.
        disabled: isPending || (uses.length > 0 && !withRedirects),
        isDangerous: true,
      })}
    >
      <Notice kind="error">
        Visitors to {host} are turned away at once, and its certificate is deleted. The records that you set for this domain stay at your DNS
        provider: remove those too, but leave all others, such as email records, in place.
      </Notice>
      {uses.length > 0 && (
        <Checkbox checked={withRedirects} change={setWithRedirects}>
          Also remove what points to it: {uses.join(', ')}
        </Checkbox>
      )}
    </Dialog>
  );
}
