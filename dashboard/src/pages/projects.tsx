// An account's projects.

import { useNavigate, useParams } from '@tanstack/react-router';
import { changing, Dialog, useDraft } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { ProjectCard } from '../parts/project-card.tsx';
import { Field } from '../parts/refusal.tsx';
import { useAccount, useCreation, useProjects } from '../queries.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';

/** The page with an account's projects. */
export function ProjectsPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccount(accountId);
  const projects = useProjects(accountId);
  const create = (
    <Button kind="primary" dialog={<CreateProject accountId={accountId} />}>
      Create project
    </Button>
  );
  return (
    <Page
      title="Projects"
      description={account && `${account.name}, ${account.plan} plan`}
      // Not shown until the list is loaded: a button that then disappeared would lose a click in progress.
      actions={projects.data !== undefined && projects.data.length > 0 && create}
    >
      <Loaded of={projects}>
        {(items) =>
          items.length === 0 ? (
            <section className="card first">
              <div>
                <div>
                  <h2>Your first project</h2>
                  <p>No projects yet. A project serves a folder of static files on your domain.</p>
                  {create}
                </div>
                <ol className="steps">
                  <li>Create a project.</li>
                  <li>Publish a folder with its files.</li>
                  <li>Add your domain, and set the record that you are shown.</li>
                </ol>
              </div>
            </section>
          ) : (
            <ItemTable
              title="Projects"
              items={items}
              more={projects.more}
              id={({ projectId }) => projectId}
              card={(project) => <ProjectCard project={project} />}
              columns={[
                { header: 'Name', text: ({ name }) => name },
                { header: 'Created', at: ({ createdAt }) => createdAt },
                { header: 'CNAME target', text: ({ target }) => target },
                { header: 'Project ID', text: ({ projectId }) => projectId },
              ]}
              empty=""
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function CreateProject({ accountId }: { readonly accountId: string }) {
  const [name, setName] = useDraft('project', '');
  const navigate = useNavigate();
  const create = useCreation(
    '/accounts/{accountId}/projects',
    { accountId },
    { reads: 'user', successMessage: 'Project created. It shows a placeholder page until you publish something.' },
  );
  const done = ({ projectId }: { readonly projectId: string }) => void navigate({ to: '/projects/$projectId', params: { projectId } });
  return (
    <Dialog header="Create project" {...changing('Create', create, { name }, { done, disabled: name.trim() === '' })}>
      <Field name="name" label="Name">
        <Input value={name} change={setName} />
      </Field>
    </Dialog>
  );
}
