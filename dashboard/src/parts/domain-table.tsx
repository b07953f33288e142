// A project's domains, in a table.

import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Link from '@cloudscape-design/components/link';
import { type ReactNode, useState } from 'react';
import { adviceFor } from '../advice.ts';
import { roleOf, setPrimary } from '../configuration-draft.ts';
import type { More } from '../pages-of.ts';
import { useConfiguration, useSaveConfiguration, useVerify } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { DomainState } from './domain-state.tsx';
import { ItemTable } from './item-table.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { AsciiHost, Breakable, localTime } from './text.tsx';

export interface DomainTableProps {
  readonly projectId: string;
  readonly domains: readonly Domain[];
  readonly more: More | undefined;
  readonly actions?: ReactNode;
}

/** A table of a project's domains, with actions. */
export function DomainTable({ projectId, domains, more, actions }: DomainTableProps) {
  const verify = useVerify(projectId);
  const configuration = useConfiguration(projectId).data;
  const save = useSaveConfiguration(projectId);
  const [removing, setRemoving] = useState<Domain>();
  return (
    <>
      <ItemTable
        title="Domains"
        actions={actions}
        items={domains}
        more={more}
        id={({ domainId }) => domainId}
        columns={[
          {
            header: 'Domain',
            cell: (domain) => (
              <>
                <Link href={`/projects/${projectId}/domains/${domain.domainId}`}>
                  <Breakable text={domain.displayHost} />
                </Link>
                <AsciiHost domain={domain} />
                <Box variant="small" display="block">
                  {configuration && roleOf(configuration, domain.host)}
                </Box>
              </>
            ),
            text: ({ host, displayHost }) => (host === displayHost ? host : `${displayHost} ${host}`),
          },
          { header: 'State', cell: (domain) => <DomainState domain={domain} />, text: ({ stateLabel }) => stateLabel },
          { header: 'Since', cell: ({ since }) => localTime(since), text: ({ since }) => since },
          { header: 'What to do', cell: (domain) => adviceFor(domain)?.header, text: (domain) => adviceFor(domain)?.header ?? '' },
          {
            header: 'Actions',
            cell: (domain) => (
              <ButtonDropdown
                variant="inline-icon"
                ariaLabel={`Actions for ${domain.host}`}
                expandToViewport
                items={[
                  { id: 'verify', text: 'Verify', disabled: !domain.canVerify },
                  {
                    id: 'primary',
                    text: 'Make primary',
                    disabled: !domain.served || configuration === undefined || roleOf(configuration, domain.host) !== undefined,
                  },
                  { id: 'remove', text: 'Remove', disabled: domain.state === 'removing' },
                ]}
                onItemClick={({ detail }) => {
                  if (detail.id === 'verify') verify.mutate([domain.domainId]);
                  if (detail.id === 'remove') setRemoving(domain);
                  if (detail.id === 'primary' && configuration !== undefined)
                    save.mutate({ read: configuration, next: setPrimary(configuration, domain.host) });
                }}
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
