// What stands on a page of a project: the one that the address names.

import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Loaded } from './failure.tsx';

export function OfProject({ children }: { readonly children: (project: Project) => ReactNode }) {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  return <Loaded of={project}>{children}</Loaded>;
}
