// A page: where it is, its title and actions, its content.

import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

export interface Place {
  readonly text: string;
  readonly href: string;
}

export interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The way here, without the start and without this page. */
  readonly way?: readonly Place[];
  readonly children: ReactNode;
}

/** The page that was gone to last: one that only changes does not take the focus again. The browser itself cares for the first page. */
let arrivedAt: string | undefined;

export function Page({ title, description, actions, way = [], children }: PageProps) {
  const { pathname } = useLocation();
  const heading = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    document.title = `${title} · Petstore`;
    // Not the router's: while a page is gone to, the one before is drawn once more with the new address.
    const { pathname: here } = location;
    if (arrivedAt !== undefined && arrivedAt !== here) heading.current?.focus({ preventScroll: true });
    arrivedAt = here;
  }, [title]);
  return (
    <ContentLayout
      defaultPadding
      breadcrumbs={<BreadcrumbGroup items={[{ text: 'Petstore', href: '/' }, ...way, { text: title, href: pathname }]} ariaLabel="Where you are" />}
      header={
        <Header variant="h1" description={description} actions={actions}>
          <span ref={heading} className="page-title" tabIndex={-1}>
            {title}
          </span>
        </Header>
      }
    >
      {children}
    </ContentLayout>
  );
}

/** The way to a page of a project. */
export function wayTo(project: { readonly projectId: string; readonly accountId: string; readonly name: string }): readonly Place[] {
  return [
    { text: 'Projects', href: `/accounts/${project.accountId}/projects` },
    { text: project.name, href: `/projects/${project.projectId}` },
  ];
}
