// The frame around every page: top bar, navigation, messages. It remains when the page changes.

import { Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { Trouble } from '../../core/http/api-error.ts';
import { useConnection } from './connection.ts';
import { useApplication, WithDialogs } from './context.tsx';
import { useNarrow } from './narrow.ts';
import { SecondFactorMissing } from './parts/second-factor.tsx';
import { Breakable } from './parts/text.tsx';
import { useMe, useProject } from './queries.ts';
import type { Account, Me, Project } from './shapes.ts';
import { localTime } from './times.ts';
import { Notice } from './ui/blocks.tsx';
import { Icon, Mark } from './ui/icon.tsx';
import { Menu } from './ui/menu.tsx';

const TROUBLE: Readonly<Record<Trouble, string>> = {
  away: "The service can't be reached. What you see may be out of date; it will update when the service is back.",
  faulty: 'The service is having problems. What you see may be out of date; it will update when they are fixed.',
};

/** The frame, with the current page in it. */
export function Frame() {
  const { accountId, project } = usePlace();
  const me = useMe();
  const accounts = me.data?.accounts ?? [];
  const account = accounts.find((each) => each.accountId === accountId);
  const groups = groupsOf(accountId, project, me.data);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link to a place on this page, which the handler goes to without changing the address */}
      <a className="skip" href="#content" onClick={skip}>
        Skip to content
      </a>
      <header className="top">
        <Navigation groups={groups} name={account?.name ?? 'Petstore'} />
        <a className="home" href="/">
          <Mark />
          <span>Petstore</span>
        </a>
        <TopMenus accounts={accounts} account={account} />
      </header>
      <div className="columns">
        <Pages groups={groups} />
        <main>
          <div id="content" tabIndex={-1}>
            <div className="stack large notices">
              <Suspension of={account} />
              <SecondFactorMissing of={account} />
            </div>
            <WithDialogs pathname={useLocation({ select: ({ pathname }) => pathname })}>
              <Outlet />
            </WithDialogs>
          </div>
        </main>
      </div>
      <Messages />
    </>
  );
}

/** Following the link would change the URL, so unsaved changes would have to be confirmed. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

interface Group {
  readonly title?: string;
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** The list of pages beside the content, on wide screens. */
function Pages({ groups }: { readonly groups: readonly Group[] }) {
  if (useNarrow()) return null;
  return (
    <nav className="pages-list" aria-label="Pages">
      <Links groups={groups} />
    </nav>
  );
}

/** The list of pages behind a button, on narrow screens. */
function Navigation({ groups, name }: { readonly groups: readonly Group[]; readonly name: string }) {
  const list = useRef<HTMLElement>(null);
  if (!useNarrow()) return null;
  return (
    <>
      <button type="button" className="button plain" popoverTarget="pages" aria-label="Open navigation">
        <Icon name="menu" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are on links, and Enter clicks a link, too */}
      <nav ref={list} id="pages" popover="auto" className="sheet" aria-label="Pages" onClick={() => list.current?.hidePopover()}>
        <header>
          <Breakable text={name} />
          <button type="button" className="button plain" aria-label="Close navigation">
            <Icon name="close" />
          </button>
        </header>
        <Links groups={groups} />
      </nav>
    </>
  );
}

function Links({ groups }: { readonly groups: readonly Group[] }) {
  const { pathname } = useLocation();
  return groups.map(({ title, links }) => (
    <div key={links[0]?.href}>
      {title !== undefined && (
        <p className="muted">
          <Breakable text={title} />
        </p>
      )}
      <ul>
        {links.map(({ text, href }) => (
          <li key={href}>
            <a href={href} aria-current={isAt(href, pathname) ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  ));
}

/** Whether a link is current; a domain's page belongs to the list of domains. */
function isAt(href: string, pathname: string): boolean {
  return pathname === href || (href.endsWith('/domains') && pathname.startsWith(`${href}/`));
}

function Suspension({ of: account }: { readonly of: Account | undefined }) {
  if (account === undefined || account.suspension === null) return null;
  const { since, reason } = account.suspension;
  return (
    <Notice kind="warning" title={`${account.name} is suspended`}>
      Its API keys have been refused, and its sites have not been served, since {localTime(since)}. Message from the operator: {reason}. You can still
      view and delete everything; only the operator can end the suspension.
    </Notice>
  );
}

function TopMenus({ accounts, account }: { readonly accounts: readonly Account[]; readonly account: Account | undefined }) {
  const { session } = useApplication();
  const [email, setEmail] = useState('');
  useEffect(() => void session.email().then((found) => setEmail(found ?? 'Signed in')), [session]);
  return (
    <>
      <Menu
        label={account === undefined ? 'Accounts' : `Account ${account.name}`}
        icon="people"
        text={account?.name ?? 'Accounts'}
        items={[
          ...accounts.map(({ accountId, name, plan }) => ({
            text: `${name} (${plan})`,
            href: `/accounts/${accountId}/projects`,
            current: accountId === account?.accountId,
          })),
          ...(account === undefined ? [] : [{ text: 'Account settings', href: `/accounts/${account.accountId}/settings` }]),
          { text: 'Create account', href: '/accounts/new' },
        ]}
      />
      <a className="button plain reference" href="/docs">
        API reference
      </a>
      <Menu
        label={email}
        icon="person"
        text={email}
        items={[
          { text: 'Notifications', href: '/notifications' },
          { text: "Where you're signed in", href: '/sessions' },
          ...(session.securityPage === undefined ? [] : [{ text: 'Sign-in and security', href: '/security' }]),
          { text: 'API reference', href: '/docs' },
          { text: 'Sign out', run: () => void session.signOut() },
        ]}
      />
    </>
  );
}

function Messages() {
  const { messages, dismiss } = useApplication();
  const connection = useConnection();
  return (
    <section className="messages" aria-label="Messages">
      <div role="alert">{connection !== 'there' && <Notice kind="warning">{TROUBLE[connection]}</Notice>}</div>
      {(['status', 'alert'] as const).map((role) => (
        <div key={role} role={role}>
          {messages
            .filter(({ type }) => (type === 'error') === (role === 'alert'))
            .map(({ id, type, content }) => (
              <Notice
                key={id}
                kind={type}
                action={
                  <button type="button" className="button plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
                    <Icon name="close" />
                  </button>
                }
              >
                <Breakable text={content} />
              </Notice>
            ))}
        </div>
      ))}
    </section>
  );
}

/** Returns the account and project in the current URL. Pages without an account keep the previous one. */
function usePlace(): { readonly accountId: string | undefined; readonly project: Project | undefined } {
  const parameters = useRouterState({ select: ({ matches }) => matches.at(-1)?.params as { accountId?: string; projectId?: string } | undefined });
  const { data: project } = useProject(parameters?.projectId);
  const me = useMe();
  const here = parameters?.accountId ?? project?.accountId;
  const [last, setLast] = useState(here);
  if (here !== undefined && here !== last) setLast(here);
  return { accountId: here ?? last ?? me.data?.accounts[0]?.accountId, project: parameters?.projectId === undefined ? undefined : project };
}

function groupsOf(accountId: string | undefined, project: Project | undefined, me: Me | undefined): readonly Group[] {
  const account = `/accounts/${accountId}`;
  const ofAccount = [
    { text: 'Projects', href: `${account}/projects` },
    { text: 'API keys', href: `${account}/keys` },
    { text: 'Usage', href: `${account}/usage` },
    { text: 'Members', href: `${account}/members` },
    { text: 'Plan', href: `${account}/plan` },
    { text: 'Activity', href: `${account}/activity` },
    { text: 'Settings', href: `${account}/settings` },
  ];
  const base = `/projects/${project?.projectId}`;
  const ofProject = [
    { title: project?.name ?? '', links: [{ text: 'Overview', href: base }] },
    {
      title: 'Project settings',
      links: [
        { text: 'Domains', href: `${base}/domains` },
        { text: 'Redirects and tokens', href: `${base}/settings` },
      ],
    },
  ];
  return [
    ...(accountId === undefined ? [] : [{ links: ofAccount }]),
    ...(project === undefined ? [] : ofProject),
    ...(typeof me?.platform.sandboxSuffix === 'string' ? [{ links: [{ text: 'Sandbox DNS', href: '/sandbox' }] }] : []),
    ...(me?.operator === true ? [{ links: [{ text: 'Operator', href: '/operator' }] }] : []),
  ];
}
