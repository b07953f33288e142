// Domains of a project, in a table.

import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import Table from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { Domain } from '../queries.ts';
import { follow } from '../shell.tsx';
import { DomainState } from './domain-state.tsx';
import { localTime } from './time.ts';

export function DomainTable({
  projectId,
  domains,
  actions,
}: {
  readonly projectId: string;
  readonly domains: readonly Domain[];
  readonly actions: ReactNode;
}) {
  return (
    <Table
      header={
        <Header variant="h2" counter={`(${domains.length})`} actions={actions}>
          Domains
        </Header>
      }
      items={domains}
      trackBy="domainId"
      columnDefinitions={[
        {
          id: 'host',
          header: 'Domain',
          isRowHeader: true,
          cell: ({ host, domainId }) => (
            <Link href={`/projects/${projectId}/domains/${domainId}`} onFollow={follow}>
              {host}
            </Link>
          ),
        },
        { id: 'state', header: 'State', cell: (domain) => <DomainState domain={domain} /> },
        { id: 'since', header: 'Since', cell: ({ since }) => localTime(since) },
        { id: 'diagnosis', header: 'What to do', cell: ({ diagnosis }) => diagnosis?.fix ?? '' },
      ]}
      empty={<Box textAlign="center">No domains yet. Add one that you have registered, such as www.example.com.</Box>}
    />
  );
}
