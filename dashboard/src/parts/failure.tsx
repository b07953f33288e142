// An error, and what to do about it.

import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../../core/http/api-error.ts';
import { readFailureText } from '../failures.ts';
import { useProject } from '../queries.ts';
import type { Project } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Breakable } from './text.tsx';

/** An error message, with a button to retry. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const isMissing = error instanceof ApiError && error.code === 'not_found';
  const again = retry === undefined || isMissing ? <Button href="/">Home</Button> : <Button onClick={retry}>Try again</Button>;
  return (
    <div role="alert">
      <Notice kind="error" title={isMissing ? 'Not found' : 'Something went wrong'} action={again}>
        <Breakable text={readFailureText(error)} />
      </Notice>
    </div>
  );
}

/** Shows the content once the data is loaded; until then, a loading indicator, or why loading failed. */
export function Loaded<T>({
  of,
  children,
}: {
  readonly of: Pick<UseQueryResult<T>, 'data' | 'error'> & { readonly refetch: () => Promise<unknown> };
  readonly children: (data: T) => ReactNode;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failure error={of.error} retry={() => void of.refetch()} />;
  return <Loading />;
}

/** A loading indicator. */
export function Loading() {
  return (
    <p className="center muted" role="status">
      <span className="spinner" /> Loading
    </p>
  );
}

/** Renders its children with the project in the URL, once the project is loaded. */
export function OfProject({ children }: { readonly children: (project: Project) => ReactNode }) {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  return <Loaded of={project}>{children}</Loaded>;
}
