// What is around every page: the bar at the top, messages, and whether the service can be reached.

import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { createApi } from './api.ts';
import { ApplicationProvider } from './context.tsx';
import { router } from './router.tsx';
import type { Session } from './session.ts';

/** How often it is asked whether the service is back, in milliseconds. */
const RECOVERY_MS = 2_000;

export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [messages, setMessages] = useState<readonly FlashbarProps.MessageDefinition[]>([]);
  const [email, setEmail] = useState('');
  const away = useAway();
  const application = useMemo(() => {
    const notify = (type: 'success' | 'error', content: string) => {
      const id = crypto.randomUUID();
      const dismiss = () => setMessages((all) => all.filter((message) => message.id !== id));
      setMessages((all) => [...all.slice(-3), { id, type, content, dismissible: true, dismissLabel: 'Dismiss', onDismiss: dismiss }]);
    };
    return { api: createApi(session), session, notify };
  }, [session]);
  useEffect(() => void session.email().then((found) => setEmail(found ?? 'Signed in')), [session]);

  const unreachable: FlashbarProps.MessageDefinition[] = away
    ? [
        {
          id: 'away',
          type: 'warning',
          loading: true,
          content: "The service can't be reached. What you see may be old; it goes on by itself when the service is back.",
        },
      ]
    : [];
  return (
    <ApplicationProvider value={application}>
      <div id="top">
        <TopNavigation
          identity={{ href: '/', title: 'Petstore', onFollow: follow }}
          utilities={[
            { type: 'button', text: 'API reference', href: '/docs' },
            {
              type: 'menu-dropdown',
              text: email,
              iconName: 'user-profile',
              items: [{ id: 'sign-out', text: 'Sign out' }],
              onItemClick: () => void session.signOut(),
            },
          ]}
        />
      </div>
      <div aria-live="polite">
        <Flashbar items={[...unreachable, ...messages]} />
      </div>
      {children}
    </ApplicationProvider>
  );
}

/** Follows a link within the dashboard. */
export function follow(event: { preventDefault(): void; detail: { href?: string | undefined; external?: boolean | undefined } }): void {
  const { href, external } = event.detail;
  if (href === undefined || external === true || !href.startsWith('/') || href.startsWith('/docs')) return;
  event.preventDefault();
  void router.navigate({ to: href });
}

/** Is the service away? Looked at whenever something can't be read; and everything is read again when it is back. */
function useAway(): boolean {
  const client = useQueryClient();
  const [away, setAway] = useState(false);
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        if (query.state.fetchFailureCount > 0 && query.state.fetchFailureReason instanceof TypeError) setAway(true);
      }),
    [client],
  );
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => {
      fetch('/dashboard/config.json', { cache: 'no-store' }).then(
        ({ ok }) => {
          if (!ok) return;
          setAway(false);
          void client.invalidateQueries();
        },
        () => {},
      );
    }, RECOVERY_MS);
    return () => clearInterval(timer);
  }, [away, client]);
  return away;
}
