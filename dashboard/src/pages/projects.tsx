// An account's projects.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { Field } from '../parts/refusal.tsx';
import { Breakable, localTime } from '../parts/text.tsx';
import { useAccount, useChange, useProjects } from '../queries.ts';

/** The page with an account's projects. */
export function ProjectsPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccount(accountId);
  const projects = useProjects(accountId);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      Create project
    </Button>
  );
  return (
    <Page title="Projects" description={account && `${account.name}, ${account.plan} plan`} actions={create}>
      <Loaded of={projects}>
        {(items) => (
          <ItemTable
            title="Projects"
            items={items}
            more={projects.more}
            id={({ projectId }) => projectId}
            columns={[
              {
                header: 'Name',
                cell: ({ name, projectId }) => (
                  <Link href={`/projects/${projectId}`}>
                    <Breakable text={name} />
                  </Link>
                ),
                text: ({ name }) => name,
              },
              { header: 'Created', cell: ({ createdAt }) => localTime(createdAt), text: ({ createdAt }) => createdAt },
              { header: 'CNAME target', cell: ({ target }) => target, text: ({ target }) => target },
              { header: 'Project id', cell: ({ projectId }) => projectId, text: ({ projectId }) => projectId },
            ]}
            empty={
              <>
                <Box>No projects yet. A project serves a folder of static files on your domain.</Box>
                {create}
              </>
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
    (api, value: string) => unwrap(api.POST('/accounts/{accountId}/projects', { params: { path: { accountId } }, body: { name: value } })),
    {
      stale: [
        ['projects', accountId],
        ['account', accountId],
      ],
      successMessage: 'Project created. It shows a placeholder page until you publish something.',
      showsFailure: true,
    },
  );
  const run = () => create.mutate(name, { onSuccess: ({ projectId }) => void navigate({ to: '/projects/$projectId', params: { projectId } }) });
  return (
    <Dialog
      close={close}
      header="Create project"
      action={{ text: 'Create', run, busy: create.isPending, disabled: name.trim() === '' }}
      failure={create.error}
    >
      <Field name="name" label="Name">
        <Input autoFocus value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="off" />
      </Field>
    </Dialog>
  );
}
