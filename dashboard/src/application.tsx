// Assembles the dashboard: its context and its pages.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { troubleOf } from '../../core/http/api-error.ts';
import { createApi } from './api.ts';
import { ApplicationProvider, type Message } from './context.tsx';
import type { Router } from './router.tsx';
import type { Session } from './session.ts';

/** Temporary failures are retried at growing intervals. */
const RETRIES = 3;
/** Maximum number of messages shown; the oldest is removed first. */
const MESSAGES = 4;
/** How long a success message is shown, in milliseconds; an error is shown until dismissed. */
const SUCCESS_MS = 8_000;

const SESSION_ENDED: Message = {
  id: 'session-ended',
  type: 'info',
  content: 'Your session ended, so you had to sign in again. If you were saving something, save it again: what you typed is still here.',
};

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => troubleOf(error) !== undefined && count < RETRIES,
      staleTime: 2_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** The dashboard for a session. */
export function Application({ session, router }: { readonly session: Session; readonly router: Router }) {
  const [messages, setMessages] = useState<readonly Message[]>(() => (session.hadEnded() ? [SESSION_ENDED] : []));
  const api = useMemo(() => createApi(session), [session]);
  const dismiss = useCallback((id: string) => setMessages((all) => all.filter((message) => message.id !== id)), []);
  const application = useMemo(
    () => ({
      api,
      session,
      messages,
      notify: (type: Message['type'], content: string) => {
        const id = crypto.randomUUID();
        setMessages((all) => [...all.slice(1 - MESSAGES), { id, type, content }]);
        if (type === 'success') setTimeout(() => dismiss(id), SUCCESS_MS);
      },
      dismiss,
    }),
    [api, session, messages, dismiss],
  );
  return (
    <QueryClientProvider client={client}>
      <ApplicationProvider value={application}>
        <RouterProvider router={router} />
      </ApplicationProvider>
    </QueryClientProvider>
  );
}
