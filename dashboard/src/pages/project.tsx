// A project: what it serves, where, and how its domains are.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useParams } from '@tanstack/react-router';
import { unwrap } from '../api.ts';
import { DomainTable } from '../parts/domain-table.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localTime } from '../parts/time.ts';
import { useChange, useDeployments, useDomains, useProject } from '../queries.ts';
import { follow } from '../shell.tsx';

export function ProjectPage() {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  return (
    <Loaded of={project}>
      {(data) => (
        <Page title={data.name} project={data} way={[{ text: 'Projects', href: `/accounts/${data.accountId}/projects` }]}>
          <SpaceBetween size="l">
            <Container header={<Header variant="h2">Overview</Header>}>
              <KeyValuePairs
                columns={3}
                items={[
                  { label: 'Project', value: data.projectId },
                  { label: 'Served deployment', value: data.deploymentId ?? 'none yet' },
                  {
                    label: 'CNAME of its domains',
                    value: (
                      <CopyToClipboard
                        variant="inline"
                        textToCopy={data.target}
                        copyButtonAriaLabel="Copy the CNAME"
                        copySuccessText="Copied"
                        copyErrorText="Copying failed"
                      />
                    ),
                  },
                ]}
              />
            </Container>
            <Domains projectId={projectId} />
            <Deployments projectId={projectId} />
          </SpaceBetween>
        </Page>
      )}
    </Loaded>
  );
}

function Domains({ projectId }: { readonly projectId: string }) {
  const domains = useDomains(projectId);
  return (
    <Loaded of={domains}>
      {(items) => (
        <DomainTable
          projectId={projectId}
          domains={items}
          actions={
            <Button href={`/projects/${projectId}/domains`} onFollow={follow}>
              Manage domains
            </Button>
          }
        />
      )}
    </Loaded>
  );
}

function Deployments({ projectId }: { readonly projectId: string }) {
  const deployments = useDeployments(projectId);
  const back = useChange(
    (api, deploymentId: string) =>
      unwrap(api.POST('/dashboard/v1/projects/{projectId}/rollback', { params: { path: { projectId } }, body: { deploymentId } })),
    [
      ['deployments', projectId],
      ['project', projectId],
    ],
    'Served from the next request on.',
  );
  return (
    <Loaded of={deployments}>
      {(items) => (
        <Table
          header={
            <Header variant="h2" counter={`(${items.length})`}>
              Deployments
            </Header>
          }
          items={items}
          trackBy="deploymentId"
          columnDefinitions={[
            { id: 'id', header: 'Deployment', isRowHeader: true, cell: ({ deploymentId }) => deploymentId },
            {
              id: 'state',
              header: 'State',
              cell: ({ current }) => <StatusIndicator type={current ? 'success' : 'stopped'}>{current ? 'served' : 'kept'}</StatusIndicator>,
            },
            { id: 'files', header: 'Files', cell: ({ files }) => files },
            { id: 'size', header: 'Size', cell: ({ bytes }) => `${(bytes / 1024).toFixed(1)} KiB` },
            { id: 'at', header: 'Published', cell: ({ createdAt }) => localTime(createdAt) },
            {
              id: 'action',
              header: 'Action',
              cell: ({ current, deploymentId }) =>
                current ? (
                  ''
                ) : (
                  <Button variant="inline-link" ariaLabel={`Serve ${deploymentId} again`} onClick={() => back.mutate(deploymentId)}>
                    Serve again
                  </Button>
                ),
            },
          ]}
          empty={<Box textAlign="center">Nothing is published. On the command line: petstore projects deploy {projectId} FOLDER</Box>}
        />
      )}
    </Loaded>
  );
}
