// Page content that belongs to the project in the URL.

import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Loaded } from './failure.tsx';

/** Renders its children with the project in the URL, once the project is read. */
export function OfProject({ children }: { readonly children: (project: Project) => ReactNode }) {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  return <Loaded of={project}>{children}</Loaded>;
}
