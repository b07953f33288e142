// A project's configuration is changed by its owner, and by what domains do by themselves.

import type { DomainConfiguration } from '../domains/configuration.ts';
import type { ProjectStore } from './ports.ts';
import type { Project } from './project.ts';

/**
 * Changes a project's configuration, whatever others change meanwhile.
 *
 * @param change called again if the configuration has changed since; returns undefined to leave it as it is
 * @returns the project as it was before the change; undefined if nothing was changed, or if there is no such project
 */
export async function changeConfiguration(
  projects: Pick<ProjectStore, 'getProject' | 'putConfiguration'>,
  projectId: string,
  change: (configuration: DomainConfiguration) => DomainConfiguration | undefined,
): Promise<Project | undefined> {
  const project = await projects.getProject(projectId);
  const next = project && change(project.configuration);
  if (project === undefined || next === undefined) return undefined;
  const stored = await projects.putConfiguration(projectId, next, project.configuration);
  return stored ? project : changeConfiguration(projects, projectId, change);
}
