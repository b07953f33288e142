// The projects of an account.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localTime } from '../parts/time.ts';
import { useChange, useMe, useProjects } from '../queries.ts';
import { follow } from '../shell.tsx';

export function ProjectsPage() {
  const { accountId = '' } = useParams({ strict: false });
  const me = useMe();
  const projects = useProjects(accountId);
  const [creating, setCreating] = useState(false);
  const account = me.data?.accounts.find((each) => each.accountId === accountId);
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      Create project
    </Button>
  );
  return (
    <Page title="Projects" accountId={accountId} description={account && `${account.name}, plan ${account.plan}`} actions={create}>
      <Loaded of={projects}>
        {(items) => (
          <Table
            header={<Header counter={`(${items.length})`}>Projects</Header>}
            items={items}
            trackBy="projectId"
            columnDefinitions={[
              {
                id: 'name',
                header: 'Name',
                isRowHeader: true,
                cell: ({ name, projectId }) => (
                  <Link href={`/projects/${projectId}`} onFollow={follow}>
                    {name}
                  </Link>
                ),
              },
              { id: 'deployment', header: 'Deployment', cell: ({ deploymentId }) => deploymentId ?? 'none yet' },
              { id: 'target', header: 'CNAME of its domains', cell: ({ target }) => target },
              { id: 'created', header: 'Created', cell: ({ createdAt }) => localTime(createdAt) },
            ]}
            empty={
              <Box textAlign="center">
                <SpaceBetween size="s">
                  <Box>No projects yet. A project serves a folder of static files on your domain.</Box>
                  {create}
                </SpaceBetween>
              </Box>
            }
          />
        )}
      </Loaded>
      {creating && <CreateProject accountId={accountId} close={() => setCreating(false)} />}
    </Page>
  );
}

function CreateProject({ accountId, close }: { readonly accountId: string; readonly close: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = useChange(
    (api, value: string) =>
      unwrap(api.POST('/dashboard/v1/accounts/{accountId}/projects', { params: { path: { accountId } }, body: { name: value } })),
    [['projects', accountId]],
    'The project is there, and serves the API reference until you publish something.',
  );
  const submit = () => create.mutate(name, { onSuccess: ({ projectId }) => void navigate({ to: '/projects/$projectId', params: { projectId } }) });
  return (
    <Dialog
      close={close}
      header="Create project"
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={close}>
              Cancel
            </Button>
            <Button variant="primary" onClick={submit} loading={create.isPending} disabled={name.trim() === ''}>
              Create
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <FormField label="Name">
        <Input
          autoFocus
          value={name}
          onChange={({ detail }) => setName(detail.value)}
          onKeyDown={({ detail }) => detail.key === 'Enter' && name.trim() !== '' && submit()}
        />
      </FormField>
    </Dialog>
  );
}
