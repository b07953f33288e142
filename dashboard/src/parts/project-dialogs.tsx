// Dialogs to rename and to delete a project.

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteProject, useDomains, useRenameProject } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Field } from './refusal.tsx';

interface ProjectDialogProps {
  readonly project: Project;
  readonly close: () => void;
}

/** The buttons that rename and delete a project. */
export function ProjectActions({ project }: { readonly project: Project }) {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <div className="row">
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      <Button kind="risky" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'rename' && <RenameProject project={project} close={close} />}
      {open === 'delete' && <DeleteProject project={project} close={close} />}
    </div>
  );
}

function RenameProject({ project, close }: ProjectDialogProps) {
  const [name, setName] = useState(project.name);
  const rename = useRenameProject(project);
  return (
    <Dialog
      close={close}
      header="Rename project"
      {...changing('Rename', rename, name.trim(), close, { disabled: name.trim() === '' || name.trim() === project.name })}
    >
      <Field label="Name" description="Only the name changes: addresses and the CNAME target stay.">
        <Input value={name} change={setName} />
      </Field>
    </Dialog>
  );
}

function DeleteProject({ project, close }: ProjectDialogProps) {
  const { projectId, accountId, name } = project;
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const { data: domains = [], more } = useDomains(projectId);
  const remove = useDeleteProject(project);
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
