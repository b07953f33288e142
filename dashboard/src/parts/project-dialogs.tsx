// Renaming and deleting a project.

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDomains, useProject, useRequest } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Field } from './refusal.tsx';

interface OfProject {
  readonly project: Project;
}

/** Returns the project's current state, which is read again after a refusal. */
const useCurrent = (project: Project) => useProject(project.projectId).data ?? project;

/** Dialog to rename a project. */
export function RenameProject({ project }: OfProject) {
  const current = useCurrent(project);
  const rename = useRequest('PUT', '/projects/{projectId}', current, { basedOn: current, successMessage: 'Renamed.' });
  const [typed, setTyped] = useState(current.name);
  const name = typed.trim();
  return (
    <Dialog header="Rename project" {...changing('Rename', rename, { name }, { disabled: name === '' || name === current.name })}>
      <Field label="Name" description="Only the name changes: addresses and the CNAME target stay the same.">
        <Input value={typed} change={setTyped} />
      </Field>
    </Dialog>
  );
}

/** The last part of a project's page: deleting the project. */
export function DeleteProject({ project }: OfProject) {
  const { projectId } = project;
  const { data: domains = [], more } = useDomains(projectId);
  return (
    <Section
      title="Delete this project"
      description="Its deployments are deleted with it. This can't be undone."
      actions={
        <Button kind="ends" disabled={domains.length > 0} dialog={<Delete project={project} />}>
          Delete
        </Button>
      }
    >
      {domains.length > 0 && (
        <p>
          First remove{' '}
          <a href={`/projects/${projectId}/domains`}>
            {domains.length === 1 ? 'its domain' : more === undefined ? `its ${domains.length} domains` : 'its domains'}
          </a>
          .
        </p>
      )}
    </Section>
  );
}

function Delete({ project }: OfProject) {
  const current = useCurrent(project);
  const { accountId, name } = current;
  const navigate = useNavigate();
  const remove = useRequest('DELETE', '/projects/{projectId}', current, { basedOn: current, reads: 'user', successMessage: `${name} is deleted.` });
  const done = () => void navigate({ to: '/accounts/$accountId/projects', params: { accountId } });
  return (
    <Dialog header={`Delete ${name}`} confirm={name} {...changing('Delete', remove, undefined, { done, isDangerous: true })}>
      <Notice kind="error">All of its deployments are deleted. This can't be undone.</Notice>
    </Dialog>
  );
}
