// Domains of a project, in a table.

import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Link from '@cloudscape-design/components/link';
import { type ReactNode, useState } from 'react';
import { useVerify } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { DomainState, stateInWords } from './domain-state.tsx';
import { ItemTable } from './item-table.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { localTime } from './time.ts';

export interface DomainTableProps {
  readonly projectId: string;
  readonly domains: readonly Domain[];
  readonly actions?: ReactNode;
}

export function DomainTable({ projectId, domains, actions }: DomainTableProps) {
  const verify = useVerify(projectId);
  const [removing, setRemoving] = useState<Domain>();
  return (
    <>
      <ItemTable
        title="Domains"
        actions={actions}
        items={domains}
        id={({ domainId }) => domainId}
        columns={[
          {
            header: 'Domain',
            cell: ({ host, domainId }) => <Link href={`/projects/${projectId}/domains/${domainId}`}>{host}</Link>,
            text: ({ host }) => host,
          },
          { header: 'State', cell: (domain) => <DomainState domain={domain} />, text: ({ state }) => stateInWords(state) },
          { header: 'Since', cell: ({ since }) => localTime(since), text: ({ since }) => since },
          { header: 'What to do', cell: ({ diagnosis }) => diagnosis?.fix, text: ({ diagnosis }) => diagnosis?.fix ?? '' },
          {
            header: 'Menu',
            cell: (domain) => (
              <ButtonDropdown
                variant="inline-icon"
                ariaLabel={`Menu of ${domain.host}`}
                expandToViewport
                items={[
                  { id: 'verify', text: 'Verify', disabled: !domain.canVerify },
                  { id: 'remove', text: 'Remove', disabled: domain.state === 'removing' },
                ]}
                onItemClick={({ detail }) => (detail.id === 'remove' ? setRemoving(domain) : verify.mutate(domain.domainId))}
              />
            ),
          },
        ]}
        empty={<Box>No domains yet. Add one that you have registered, such as www.example.com.</Box>}
      />
      {removing !== undefined && <RemoveDomain domain={removing} close={() => setRemoving(undefined)} removed={() => setRemoving(undefined)} />}
    </>
  );
}
