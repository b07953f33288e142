// Renaming and deleting a project.

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDomains, useRequest } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Field } from './refusal.tsx';

/** The button that renames a project. */
export function RenameProject({ project }: { readonly project: Project }) {
  const [name, setName] = useState<string>();
  const rename = useRequest('PUT', '/projects/{projectId}', project, { basedOn: project, successMessage: 'Renamed.' });
  const changed = name?.trim() ?? '';
  const close = () => {
    rename.reset();
    setName(undefined);
  };
  return (
    <>
      <Button onClick={() => setName(project.name)}>Rename</Button>
      {name !== undefined && (
        <Dialog
          close={close}
          header="Rename project"
          {...changing('Rename', rename, { name: changed }, close, { disabled: changed === '' || changed === project.name })}
        >
          <Field label="Name" description="Only the name changes: addresses and the CNAME target stay.">
            <Input value={name} change={setName} />
          </Field>
        </Dialog>
      )}
    </>
  );
}

/** The end of a project: the last part of its page. */
export function DeleteProject({ project }: { readonly project: Project }) {
  const [open, setOpen] = useState(false);
  return (
    <Section
      title="Delete this project"
      description="Its deployments are deleted with it. Remove its domains first."
      actions={<Button onClick={() => setOpen(true)}>Delete</Button>}
    >
      {open && <Delete project={project} close={() => setOpen(false)} />}
    </Section>
  );
}

function Delete({ project, close }: { readonly project: Project; readonly close: () => void }) {
  const { projectId, accountId, name } = project;
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const { data: domains = [], more } = useDomains(projectId);
  const remove = useRequest('DELETE', '/projects/{projectId}', project, { basedOn: project, reads: 'user', successMessage: `${name} is deleted.` });
  const leave = () => void navigate({ to: '/accounts/$accountId/projects', params: { accountId } });
  return (
    <Dialog
      close={close}
      header={`Delete ${name}`}
      {...changing('Delete', remove, undefined, leave, { disabled: typed.trim() !== name.trim(), isDangerous: true })}
    >
      <Notice kind="error">
        All of its deployments are deleted. This can't be undone.
        {domains.length > 0 && (
          <>
            {' '}
            A project with domains can't be deleted: first remove{' '}
            <a href={`/projects/${projectId}/domains`}>
              {domains.length === 1 ? 'its domain' : more === undefined ? `its ${domains.length} domains` : 'its domains'}
            </a>
            .
          </>
        )}
      </Notice>
      <Field label={`To confirm, type ${name}`}>
        <Input value={typed} change={setTyped} />
      </Field>
    </Dialog>
  );
}
