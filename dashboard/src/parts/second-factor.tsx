// Whether an account's members need a second factor: the setting for owners, and instructions for members without one.

import { useApplication } from '../context.tsx';
import { useMe, useRequest } from '../queries.ts';
import type { Account } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { changing, Dialog } from './dialog.tsx';

const LABELS = { true: 'Stop requiring second factor', false: 'Require second factor' };

/** The setting. Shows nothing if the service does not know how users have signed in. */
export function SecondFactor({ account }: { readonly account: Account }) {
  const own = useMe().data?.secondFactor ?? null;
  const isRequired = account.secondFactorRequired;
  if (own === null) return null;
  return (
    <Section
      title="Second factor"
      description="A passkey, or a code after the password. API keys and pipelines are not affected."
      actions={
        <Button disabled={!isRequired && !own} why="Sign in with a second factor yourself first." dialog={<Confirm account={account} />}>
          {LABELS[`${isRequired}`]}
        </Button>
      }
    >
      <p>{isRequired ? "Members who signed in with a password alone can't use this account." : 'Members may sign in with the password alone.'}</p>
    </Section>
  );
}

function Confirm({ account }: { readonly account: Account }) {
  const { accountId, name, secondFactorRequired: isRequired } = account;
  const change = useRequest('PUT', '/accounts/{accountId}/second-factor', { accountId });
  return (
    <Dialog header={LABELS[`${isRequired}`]} {...changing(LABELS[`${isRequired}`], change, { required: !isRequired })}>
      <Notice kind="warning">
        {isRequired
          ? `Members of ${name} will be able to use it after signing in with the password alone.`
          : `Members who signed in with a password alone lose access to ${name} at once, until they set up a second factor and sign in again with it.`}
      </Notice>
    </Dialog>
  );
}

/** Instructions for a member who has signed in without the second factor that the account requires. */
export function SecondFactorMissing({ of: account }: { readonly of: Account | undefined }) {
  const { session } = useApplication();
  const me = useMe();
  if (account === undefined || !account.secondFactorRequired || me.data?.secondFactor !== false) return null;
  return (
    <Notice
      kind="warning"
      title={`${account.name} requires a second factor`}
      action={<Button onClick={() => void session.signInAgain()}>Sign in again</Button>}
    >
      You have signed in with a password alone. Set up a passkey or an authenticator app under <a href="/security">Sign-in and security</a>, then sign
      in again with it.
    </Notice>
  );
}
