// A page: breadcrumbs, title, actions and content.

import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import { useLocation } from '@tanstack/react-router';
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
  /** The breadcrumbs, without the start page and this page. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  readonly children: ReactNode;
}

/** The last page navigated to: re-rendering it does not take the focus again. The browser handles the first page. */
let lastPathname: string | undefined;

/** A page with breadcrumbs and a title, which gets the focus after navigation. */
export function Page({ title, description, actions, breadcrumbs: way = [], children }: PageProps) {
  const { pathname } = useLocation();
  const heading = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    document.title = `${title} · Petstore`;
    // Not the router's location: during navigation, the previous page renders once more with the new URL.
    const { pathname: here } = location;
    if (lastPathname !== undefined && lastPathname !== here) heading.current?.focus({ preventScroll: true });
    lastPathname = here;
  }, [title]);
  return (
    <ContentLayout
      defaultPadding
      breadcrumbs={<BreadcrumbGroup items={[{ text: 'Petstore', href: '/' }, ...way, { text: title, href: pathname }]} ariaLabel="Breadcrumbs" />}
      header={
        <Header variant="h1" description={description} actions={actions}>
          <span ref={heading} className="page-title" tabIndex={-1}>
            <Breakable text={title} />
          </span>
        </Header>
      }
    >
      {children}
    </ContentLayout>
  );
}

/** The breadcrumbs for a page within a project. */
export function breadcrumbsOf(project: { readonly projectId: string; readonly accountId: string; readonly name: string }): readonly Breadcrumb[] {
  return [
    { text: 'Projects', href: `/accounts/${project.accountId}/projects` },
    { text: project.name, href: `/projects/${project.projectId}` },
  ];
}
