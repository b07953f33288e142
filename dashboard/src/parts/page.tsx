// A page: where it is, its title and actions, and what belongs beside it.

import AppLayout from '@cloudscape-design/components/app-layout';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { type Project, useMe } from '../queries.ts';
import { follow } from '../shell.tsx';

export interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The way here, without this page. */
  readonly way?: readonly { readonly text: string; readonly href: string }[];
  readonly accountId?: string | undefined;
  readonly project?: Project | undefined;
  readonly children: ReactNode;
}

export function Page({ title, description, actions, way = [], accountId, project, children }: PageProps) {
  const { pathname } = useLocation();
  const me = useMe();
  useEffect(() => {
    document.title = `${title} · Petstore`;
  }, [title]);
  const account = accountId ?? project?.accountId;
  const sandbox = me.data?.platform.sandboxSuffix ?? undefined;
  const items: SideNavigationProps.Item[] = [
    ...(account === undefined
      ? []
      : [
          link('Projects', `/accounts/${account}/projects`),
          link('API keys', `/accounts/${account}/keys`),
          link('Usage', `/accounts/${account}/usage`),
        ]),
    ...(project === undefined
      ? []
      : [
          { type: 'divider' } as const,
          {
            type: 'section-group',
            title: project.name,
            items: [
              link('Overview', `/projects/${project.projectId}`),
              link('Domains', `/projects/${project.projectId}/domains`),
              link('Settings', `/projects/${project.projectId}/settings`),
            ],
          } as const,
        ]),
    ...(sandbox === undefined ? [] : [{ type: 'divider' } as const, link('Sandbox DNS', '/sandbox')]),
  ];
  return (
    <AppLayout
      headerSelector="#top"
      toolsHide
      navigation={<SideNavigation header={{ text: 'Petstore', href: '/' }} activeHref={pathname} items={items} onFollow={follow} />}
      breadcrumbs={
        <BreadcrumbGroup
          items={[{ text: 'Petstore', href: '/' }, ...way, { text: title, href: pathname }]}
          onFollow={follow}
          ariaLabel="Where you are"
        />
      }
      ariaLabels={{
        navigation: 'Pages',
        navigationClose: 'Close the list of pages',
        navigationToggle: 'Open the list of pages',
        notifications: 'Messages',
      }}
      content={
        <ContentLayout
          header={
            <Header variant="h1" description={description} actions={actions}>
              {title}
            </Header>
          }
        >
          {children}
        </ContentLayout>
      }
    />
  );
}

function link(text: string, href: string): SideNavigationProps.Link {
  return { type: 'link', text, href };
}
