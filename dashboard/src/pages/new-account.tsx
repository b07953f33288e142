// Creates an account: the first one, or another.

import { useNavigate } from '@tanstack/react-router';
import { useDraft } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useCreation } from '../queries.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';

/** The page that creates an account. */
export function NewAccountPage() {
  const [name, setName] = useDraft('account', '');
  const navigate = useNavigate();
  const create = useCreation('/accounts', {}, { reads: 'user' });
  return (
    <Page title="Create account" description="An account holds your projects, API keys and members. You can have several.">
      <section className="card first">
        <div>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              create.mutate(
                { name },
                {
                  onSuccess: ({ accountId }) => void navigate({ to: '/accounts/$accountId/projects', params: { accountId } }),
                },
              );
            }}
          >
            <Refusal failure={create.error}>
              <Field name="name" label="Account name" description="For example, the name of your shop.">
                <Input value={name} change={setName} autoComplete="organization" />
              </Field>
              <Button kind="primary" submit busy={create.isPending} disabled={name.trim() === ''}>
                Create account
              </Button>
            </Refusal>
          </form>
          <div>
            <h2>What comes next</h2>
            <ol className="steps">
              <li>Create a project, and publish a folder with your site.</li>
              <li>Create an API key, and list your animals with it.</li>
              <li>For your own domain, ask for a larger plan: a new account is on Free.</li>
            </ol>
          </div>
        </div>
      </section>
    </Page>
  );
}
