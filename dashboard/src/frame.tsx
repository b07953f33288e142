// The frame around every page: top bar, navigation, messages. It remains when the page changes.

import Alert from '@cloudscape-design/components/alert';
import AppLayout from '@cloudscape-design/components/app-layout';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useState } from 'react';
import type { Trouble } from '../../core/http/api-error.ts';
import { useConnection } from './connection.ts';
import { useApplication } from './context.tsx';
import { useNarrow } from './narrow.ts';
import { SecondFactorMissing } from './parts/second-factor.tsx';
import { localTime } from './parts/text.tsx';
import { useMe, useProjectOf } from './queries.ts';
import type { Account, Project } from './shapes.ts';

const TROUBLE: Readonly<Record<Trouble, string>> = {
  away: "The service can't be reached. What you see may be out of date; it will update when the service is back.",
  faulty: 'The service has a problem at the moment. What you see may be outdated; it updates when the problem is fixed.',
};

/** The frame, with the current page in it. */
export function Frame() {
  const { pathname } = useLocation();
  const { accountId, project } = usePlace();
  const me = useMe();
  const accounts = me.data?.accounts ?? [];
  const account = accounts.find((each) => each.accountId === accountId);
  const [navigationOpen, setNavigationOpen] = useNavigationOpen();
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link to a place on this page, which the handler goes to without changing the address */}
      <a className="skip" href="#content" onClick={skip}>
        Skip to content
      </a>
      <div id="top">
        <TopBar accounts={accounts} account={account} />
      </div>
      <AppLayout
        headerSelector="#top"
        toolsHide
        stickyNotifications
        notifications={<Messages />}
        navigationOpen={navigationOpen}
        onNavigationChange={({ detail }) => setNavigationOpen(detail.open)}
        navigation={
          <SideNavigation
            header={{ text: account?.name ?? 'Petstore', href: '/' }}
            activeHref={pathname}
            items={pagesOf(accountId, project, typeof me.data?.platform.sandboxSuffix === 'string')}
          />
        }
        ariaLabels={{
          navigation: 'Pages',
          navigationClose: 'Close navigation',
          navigationToggle: 'Open navigation',
          notifications: 'Messages',
        }}
        content={
          <div id="content" tabIndex={-1}>
            <Suspension of={account} />
            <SecondFactorMissing of={account} />
            <Outlet />
          </div>
        }
      />
    </>
  );
}

/** Whether the navigation is open: wherever there is room, until the user closes it; a window that becomes wide again gets it back. */
function useNavigationOpen(): [boolean, (open: boolean) => void] {
  const narrow = useNarrow();
  const [last, setLast] = useState(narrow);
  const [open, setOpen] = useState(!narrow);
  if (last !== narrow) {
    setLast(narrow);
    setOpen(!narrow);
  }
  return [open, setOpen];
}

/** Following the link would change the address, so that unsaved changes would have to be confirmed. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Why the account is not in use, on each of its pages. */
function Suspension({ of: account }: { readonly of: Account | undefined }) {
  if (account === undefined || account.suspension === null) return null;
  const { since, reason } = account.suspension;
  return (
    <Alert type="warning" header={`${account.name} is suspended`}>
      Its API keys have been refused, and its sites have not been served, since {localTime(since)}. Message from the operator: {reason}. You can look
      at everything and remove it; only the operator can end the suspension.
    </Alert>
  );
}

function TopBar({ accounts, account }: { readonly accounts: readonly Account[]; readonly account: Account | undefined }) {
  const { session } = useApplication();
  const [email, setEmail] = useState('');
  useEffect(() => void session.email().then((found) => setEmail(found ?? 'Signed in')), [session]);
  return (
    <TopNavigation
      identity={{ href: '/', title: 'Petstore' }}
      utilities={[
        { type: 'button', text: 'API reference', href: '/docs' },
        {
          type: 'menu-dropdown',
          text: account?.name ?? 'Accounts',
          ariaLabel: account === undefined ? 'Accounts' : `Account ${account.name}`,
          iconName: 'group',
          items: [
            ...accounts.map(({ accountId, name, plan }) => ({ id: accountId, text: `${name} (${plan})`, href: `/accounts/${accountId}/projects` })),
            { id: 'new', text: 'Create account', href: '/accounts/new' },
          ],
        },
        {
          type: 'menu-dropdown',
          text: email,
          iconName: 'user-profile',
          items: [
            { id: 'notifications', text: 'Notifications', href: '/notifications' },
            { id: 'sessions', text: 'Where you’re signed in', href: '/sessions' },
            ...(session.securityPage === undefined ? [] : [{ id: 'security', text: 'Sign-in and security', href: '/security' }]),
            { id: 'sign-out', text: 'Sign out' },
          ],
          onItemClick: ({ detail }) => {
            if (detail.id === 'sign-out') void session.signOut();
          },
        },
      ]}
    />
  );
}

function Messages() {
  const { messages, dismiss } = useApplication();
  const connection = useConnection();
  const trouble: FlashbarProps.MessageDefinition[] =
    connection === 'there' ? [] : [{ id: 'connection', type: 'warning', loading: true, ariaRole: 'alert', content: TROUBLE[connection] }];
  return (
    <Flashbar
      items={[
        ...trouble,
        ...messages.map(({ id, type, content }) => ({
          id,
          type,
          content,
          ariaRole: type === 'error' ? ('alert' as const) : ('status' as const),
          dismissible: true,
          dismissLabel: 'Dismiss',
          onDismiss: () => dismiss(id),
        })),
      ]}
    />
  );
}

/** The account and project in the current URL. Pages without an account keep the previous account. */
function usePlace(): { readonly accountId: string | undefined; readonly project: Project | undefined } {
  const parameters = useRouterState({ select: ({ matches }) => matches.at(-1)?.params as { accountId?: string; projectId?: string } | undefined });
  const { data: project } = useProjectOf(parameters?.projectId);
  const me = useMe();
  const here = parameters?.accountId ?? project?.accountId;
  const [last, setLast] = useState(here);
  if (here !== undefined && here !== last) setLast(here);
  return { accountId: here ?? last ?? me.data?.accounts[0]?.accountId, project: parameters?.projectId === undefined ? undefined : project };
}

function pagesOf(accountId: string | undefined, project: Project | undefined, sandbox: boolean): SideNavigationProps.Item[] {
  const link = (text: string, href: string) => ({ type: 'link', text, href }) as const;
  const divider = { type: 'divider' } as const;
  const ofAccount =
    accountId === undefined
      ? []
      : [
          link('Projects', `/accounts/${accountId}/projects`),
          link('API keys', `/accounts/${accountId}/keys`),
          link('Usage', `/accounts/${accountId}/usage`),
          link('Members', `/accounts/${accountId}/members`),
          link('Plan', `/accounts/${accountId}/plan`),
          link('Activity', `/accounts/${accountId}/activity`),
        ];
  if (project === undefined) return [...ofAccount, ...(sandbox ? [divider, link('Sandbox DNS', '/sandbox')] : [])];
  const base = `/projects/${project.projectId}`;
  const ofProject = [link('Overview', base), link('Domains', `${base}/domains`), link('Settings', `${base}/settings`)];
  return [
    ...ofAccount,
    divider,
    { type: 'section-group', title: project.name, items: ofProject },
    ...(sandbox ? [divider, link('Sandbox DNS', '/sandbox')] : []),
  ];
}
