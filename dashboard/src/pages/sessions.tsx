// Where the user is signed in, as far as the service knows, and who tried to; to end one session, all others, or all.

import { useApplication } from '../context.tsx';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { SignInTable } from '../parts/sign-in-table.tsx';
import { localMinute } from '../parts/text.tsx';
import { useChange, useRead } from '../queries.ts';
import type { Session, Sessions } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

type Ending = { readonly kind: 'one'; readonly session: Session } | { readonly kind: 'others' } | { readonly kind: 'all' };

/** The page with the user's sessions. */
export function SessionsPage() {
  const read = useRead('/me/sessions', {});
  return (
    <Page title="Where you’re signed in" description="A session lasts twelve hours at most.">
      <Loaded of={read}>
        {(sessions) => (
          <div className="stack large">
            {sessions.canList && <SessionTable sessions={sessions.sessions} />}
            <Section
              title="Sign out everywhere"
              description={`Ends all sessions, this one too. ${accessText(sessions)}`}
              actions={<Button dialog={<End ending={{ kind: 'all' }} />}>Sign out everywhere</Button>}
            >
              <p>If you lose a device, sign out everywhere. If someone else knows your password, change it, too. If you can’t, ask the operator.</p>
            </Section>
            {sessions.canList && (
              <SignInTable
                signIns={sessions.signIns}
                description="Includes failed attempts with your email address, by you or someone else. If you don’t recognize a successful sign-in, sign out everywhere, then change your password. Owners of your accounts see this list, too, from when you joined."
              />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** What follows for access that a session already has. */
function accessText({ accessEndsWithinSeconds }: Sessions): string {
  const minutes = Math.ceil(accessEndsWithinSeconds / 60);
  return minutes === 0 ? 'It takes effect at once.' : `Other devices can still work for up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
}

const nameOf = ({ client, agent }: Session) =>
  client === 'dashboard' ? (agent ?? 'A browser') : `petstore command line${agent === null ? '' : `, signed in with ${agent}`}`;

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <ItemTable
      title="Sessions"
      actions={
        <Button disabled={sessions.length < 2} why="There are no others." dialog={<End ending={{ kind: 'others' }} />}>
          Sign out all others
        </Button>
      }
      items={sessions}
      id={({ sessionId }) => sessionId}
      nameOf={(session) => `${nameOf(session)}, since ${localMinute(session.begunAt)}`}
      // This one ends with "Sign out", which also notifies the provider.
      menu={(session) => (session.current ? [] : [{ text: 'Sign out', dialog: <End ending={{ kind: 'one', session }} /> }])}
      columns={[
        {
          header: 'Signed in with',
          cell: (session) => (
            <>
              {nameOf(session)}
              {session.current && ' (this one)'}
            </>
          ),
          text: nameOf,
        },
        { header: 'Since', at: ({ begunAt }) => begunAt },
        { header: 'Last active', at: ({ usedAt }) => usedAt },
      ]}
      empty={<p>No sessions.</p>}
    />
  );
}

function End({ ending }: { readonly ending: Ending }) {
  const { session } = useApplication();
  const change = useChange(
    async (api) => {
      if (ending.kind === 'all') await api.send('POST', '/me/sign-out', {});
      else await api.send('POST', '/me/sessions/end', {}, { body: ending.kind === 'one' ? { sessionId: ending.session.sessionId } : {} });
    },
    ending.kind === 'all' ? { reads: 'nothing' } : {},
  );
  const { header, action, text } = wordsFor(ending);
  return (
    <Dialog header={header} {...changing(action, change, undefined, ending.kind === 'all' ? { done: () => void session.signOut() } : {})}>
      <Notice kind="warning">{text}</Notice>
    </Dialog>
  );
}

function wordsFor(ending: Ending): { readonly header: string; readonly action: string; readonly text: string } {
  switch (ending.kind) {
    case 'one':
      return {
        header: `Sign out: ${nameOf(ending.session)}`,
        action: 'Sign out',
        text:
          ending.session.client === 'dashboard'
            ? 'The browser is signed out at once, along with any command lines that were signed in with it.'
            : 'The command line is signed out at once. Pipelines with deploy tokens keep working.',
      };
    case 'others':
      return { header: 'Sign out all others', action: 'Sign out all others', text: 'All other browsers and command lines are signed out at once.' };
    case 'all':
      return { header: 'Sign out everywhere', action: 'Sign out everywhere', text: 'You’ll have to sign in again, here too.' };
  }
}
