// A page: breadcrumbs, title, actions and content.

import { type ReactNode, useEffect, useRef } from 'react';
import { Breakable } from './text.tsx';

export interface Breadcrumb {
  readonly text: string;
  readonly href: string;
}

export interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The pages above this one. @default none, for a page that is in a menu */
  readonly breadcrumbs?: readonly Breadcrumb[];
  readonly children: ReactNode;
}

/** The last page navigated to; re-rendering it does not take the focus again. The browser handles the first page. */
let lastPathname: string | undefined;

/** A page with its title, which gets the focus after navigation. */
export function Page({ title, description, actions, breadcrumbs = [], children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Petstore`;
    // Not the router's location, because during navigation, the previous page renders once more with the new URL.
    const { pathname: here } = location;
    if (lastPathname !== undefined && lastPathname !== here) heading.current?.focus({ preventScroll: true });
    lastPathname = here;
  }, [title]);
  return (
    <>
      {breadcrumbs.length > 0 && (
        <nav className="breadcrumbs" aria-label="Breadcrumbs">
          <ol>
            {breadcrumbs.map(({ text, href }) => (
              <li key={href}>
                <a href={href}>
                  <Breakable text={text} />
                </a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <header className="page-header">
        <div>
          <h1 ref={heading} className="page-title" tabIndex={-1}>
            <Breakable text={title} />
          </h1>
          {description !== undefined && <div className="muted">{description}</div>}
        </div>
        {actions}
      </header>
      {children}
    </>
  );
}

/** The breadcrumbs for a page within a project. */
export function breadcrumbsOf(project: { readonly projectId: string; readonly accountId: string; readonly name: string }): readonly Breadcrumb[] {
  return [
    { text: 'Projects', href: `/accounts/${project.accountId}/projects` },
    { text: project.name, href: `/projects/${project.projectId}` },
  ];
}
