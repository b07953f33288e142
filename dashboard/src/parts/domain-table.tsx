// A project's domains, in a table.

import type { ReactNode } from 'react';
import { taskFor } from '../advice.ts';
import { roleOf, setPrimary } from '../configuration-draft.ts';
import { useConfiguration, useDomains, useSaveConfiguration, useVerify } from '../queries.ts';
import type { Configuration, Domain } from '../shapes.ts';
import { inGroups } from '../stages.ts';
import { DomainState } from './domain-state.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { AsciiHost, Breakable } from './text.tsx';

export interface DomainTableProps {
  readonly projectId: string;
  readonly actions?: ReactNode;
}

/** A table of a project's domains, with actions. */
export function DomainTable({ projectId, actions }: DomainTableProps) {
  const list = useDomains(projectId);
  const verify = useVerify(projectId, { announcesFailure: true });
  const configuration = useConfiguration(projectId).data;
  const save = useSaveConfiguration(projectId, configuration, { announcesFailure: true });
  const actionsFor = (domain: Domain) => [
    { text: 'Verify', disabled: !domain.canVerify, run: () => verify.mutate([domain.domainId]) },
    {
      text: 'Make primary',
      disabled: !domain.served || configuration === undefined || roleOf(configuration, domain.host) !== undefined,
      run: () => configuration && save.mutate(setPrimary(configuration, domain.host) as Configuration),
    },
    { text: 'Remove', risky: true, disabled: domain.state === 'removing', dialog: <RemoveDomain domain={domain} /> },
  ];
  return (
    <Loaded of={list}>
      {(domains) => (
        <ItemTable
          title="Domains"
          actions={actions}
          items={inGroups(domains, configuration?.domains.redirects)}
          more={list.more}
          id={({ domainId }) => domainId}
          nameOf={({ host }) => host}
          menu={actionsFor}
          columns={[
            {
              header: 'Domain',
              cell: (domain) => (
                <>
                  <a href={`/projects/${projectId}/domains/${domain.domainId}`}>
                    <Breakable text={domain.displayHost} />
                  </a>
                  <AsciiHost domain={domain} />
                  <small>{configuration && roleOf(configuration, domain.host)}</small>
                </>
              ),
              text: ({ host, displayHost }) => (host === displayHost ? host : `${displayHost} ${host}`),
            },
            { header: 'State', isShort: true, cell: (domain) => <DomainState domain={domain} />, text: ({ stateLabel }) => stateLabel },
            { header: 'Since', isShort: true, at: ({ since }) => since },
            ...(domains.some((domain) => taskFor(domain) !== '') ? [{ header: 'What to do', cell: taskFor, text: taskFor }] : []),
          ]}
          empty={<p>No domains yet. Add your own, such as example.com.</p>}
        />
      )}
    </Loaded>
  );
}
