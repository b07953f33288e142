// The user's sessions, as far as the service knows them, and recent attempts to sign in. The user can end one session, all others, or all.

import { useApplication } from '../context.tsx';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { SignInTable } from '../parts/sign-in-table.tsx';
import { useChange, useRead } from '../queries.ts';
import type { Session, Sessions } from '../shapes.ts';
import { localMinute } from '../times.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

/** The page with the user's sessions. */
export function SessionsPage() {
  const read = useRead('/me/sessions', {});
  return (
    <Page title="Where you're signed in" description="A session lasts twelve hours at most.">
      <Loaded of={read}>
        {(sessions) => (
          <div className="stack large">
            {sessions.canList && <SessionTable sessions={sessions.sessions} />}
            <Section
              title="Sign out everywhere"
              description={`Ends all sessions, including this one. ${accessText(sessions)}`}
              actions={
                <Button dialog={<End of="all" header="Sign out everywhere" text="You'll have to sign in again, here too." />}>
                  Sign out everywhere
                </Button>
              }
            >
              <p>If you lose a device, sign out everywhere. If someone else knows your password, change it, too. If you can't, ask the operator.</p>
            </Section>
            {sessions.canList && (
              <SignInTable
                signIns={sessions.signIns}
                description="Includes failed attempts with your email address, by you or someone else. If you don't recognize a successful sign-in, sign out everywhere, then change your password. Owners of your accounts see this list, too, from when you joined."
              />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Returns how long other devices keep access after being signed out. */
function accessText({ accessEndsWithinSeconds }: Sessions): string {
  const minutes = Math.ceil(accessEndsWithinSeconds / 60);
  return minutes === 0 ? 'It takes effect at once.' : `Other devices can still work for up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
}

const nameOf = ({ client, agent }: Session) =>
  client === 'dashboard' ? (agent ?? 'A browser') : `petstore command line${agent === null ? '' : `, signed in with ${agent}`}`;

const CONSEQUENCES: Readonly<Record<Session['client'], string>> = {
  dashboard: 'The browser is signed out at once, along with any command lines that were signed in with it.',
  command_line: 'The command line is signed out at once. Pipelines with deploy tokens keep working.',
};

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <ItemTable
      title="Sessions"
      actions={
        <Button
          disabled={sessions.length < 2}
          why="There are no others."
          dialog={<End of="others" header="Sign out all others" text="All other browsers and command lines are signed out at once." />}
        >
          Sign out all others
        </Button>
      }
      items={sessions}
      id={({ sessionId }) => sessionId}
      nameOf={(session) => `${nameOf(session)}, since ${localMinute(session.begunAt)}`}
      // The current session ends with "Sign out", which also notifies the provider.
      menu={(session) =>
        session.current
          ? []
          : [{ text: 'Sign out', dialog: <End of={session} header={`Sign out: ${nameOf(session)}`} text={CONSEQUENCES[session.client]} /> }]
      }
      columns={[
        {
          header: 'Signed in with',
          text: (session) => `${nameOf(session)}${session.current ? ' (this one)' : ''}`,
        },
        { header: 'Since', at: ({ begunAt }) => begunAt },
        { header: 'Last active', at: ({ usedAt }) => usedAt },
      ]}
      empty={<p>No sessions.</p>}
    />
  );
}

interface EndProps {
  readonly of: Session | 'others' | 'all';
  /** The action and its object. */
  readonly header: string;
  readonly text: string;
}

function End({ of, header, text }: EndProps) {
  const { session } = useApplication();
  const isAll = of === 'all';
  const change = useChange(
    async (api) => {
      if (isAll) await api.send('POST', '/me/sign-out', {});
      else await api.send('POST', '/me/sessions/end', {}, { body: of === 'others' ? {} : { sessionId: of.sessionId } });
    },
    isAll ? { reads: 'nothing' } : {},
  );
  return (
    <Dialog header={header} {...changing(header.replace(/:.*/, ''), change, undefined, isAll ? { done: () => void session.signOut() } : {})}>
      <Notice kind="warning">{text}</Notice>
    </Dialog>
  );
}
