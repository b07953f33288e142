// An account's plan: what each plan includes, what is used, and the request for another plan.

import { useParams } from '@tanstack/react-router';
import { changing, Dialog, useDraft } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Field } from '../parts/refusal.tsx';
import { useAccountDetail, useMe, useRead, useRequest } from '../queries.ts';
import { type Account, type AccountDetail, type Plan, sizeText } from '../shapes.ts';
import { localTime } from '../times.ts';
import { Facts, Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';

const OWNERS = 'Only an owner of the account can ask for a plan.';

/** The page with an account's plan. */
export function PlanPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccountDetail(accountId);
  const plans = useMe().data?.platform.plans ?? [];
  return (
    <Page title="Plan" description="One plan covers an account and all of its projects. Owners can ask the operator for another plan here.">
      <Loaded of={account}>
        {(current) => (
          <div className="stack large">
            <Request account={current} plans={plans} />
            <Plans account={current} plans={plans} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Plans({ account, plans }: { readonly account: AccountDetail; readonly plans: readonly Plan[] }) {
  const { accountId, role, used } = account;
  // Read only once; only the usage page is updated live.
  const usage = useRead('/accounts/{accountId}/usage', { accountId }).data;
  const requested = account.planRequest?.decision === null ? account.planRequest.plan : undefined;
  const own = plans.findIndex(({ plan }) => plan === account.plan);
  const factsOf = (plan: Plan) => {
    const isOwn = plan.plan === account.plan;
    // An account's limits may differ from its plan's: enterprise quotas are agreed, and a plan's limits may have changed since.
    const limits = isOwn ? account.limits : plan.limits;
    const of = (count: number | undefined, text: string) => (isOwn && count !== undefined ? `${count.toLocaleString()} of ${text}` : text);
    // An account may still have domains after a change to a plan that allows none.
    const hasNone = plan.domains === 0 && (!isOwn || used.domains === 0);
    return [
      { label: 'Requests a minute', value: limits?.perMinute.toLocaleString() ?? 'as agreed' },
      { label: 'Requests a day', value: of(usage?.day.used, limits?.perDay.toLocaleString() ?? 'as agreed') },
      { label: 'Projects', value: of(used.projects, plan.projects.toLocaleString()) },
      { label: 'Custom domains', value: hasNone ? 'none' : of(used.domains, plan.domains.toLocaleString()) },
      { label: 'Largest deployment', value: `${plan.deployment.files.toLocaleString()} files, ${sizeText(plan.deployment.bytes)}` },
    ];
  };
  return (
    <>
      {role !== 'owner' && <p>{OWNERS}</p>}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers */}
      <ul className="cards" aria-label="Plans" role="list">
        {plans.map((plan) => (
          <li key={plan.plan}>
            <section className="card plan" data-own={plan.plan === account.plan}>
              <header>
                <h2>{plan.label}</h2>
                {plan.plan === account.plan && <span className="badge">Your plan</span>}
                {plan.plan === requested && <span className="badge">Requested</span>}
              </header>
              <Facts items={factsOf(plan)} />
              {role === 'owner' && plan.plan !== account.plan && plan.plan !== requested && (
                <Button {...(plans.indexOf(plan) < own && { kind: 'link' })} dialog={<AskForPlan account={account} plan={plan} />}>
                  Request {plan.label}
                </Button>
              )}
            </section>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The plan request, both while it is open and once it is decided. */
function Request({ account: { accountId, planRequest, role }, plans }: { readonly account: Account; readonly plans: readonly Plan[] }) {
  const withdraw = useRequest('DELETE', '/accounts/{accountId}/plan-request', { accountId }, { announcesFailure: true });
  if (planRequest === null) return null;
  const { plan, note, requestedAt, decision } = planRequest;
  const label = plans.find((each) => each.plan === plan)?.label ?? plan;
  const action =
    role === 'owner' ? (
      <Button busy={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
        {decision === null ? 'Withdraw' : 'Dismiss'}
      </Button>
    ) : undefined;
  if (decision === null)
    return (
      <Notice kind="info" title={`You have asked for ${label}`} action={action}>
        Sent {localTime(requestedAt)}
        {note === '' ? '' : `, with your note: ${note}`}. The decision will be shown here, and emailed to you if this service sends emails.
      </Notice>
    );
  return (
    <Notice
      kind={decision.approved ? 'success' : 'warning'}
      title={decision.approved ? `You are on ${label} now` : `Your request for ${label} was declined`}
      action={action}
    >
      {decision.reason === '' ? `Decided at ${localTime(decision.at)}.` : `Message from the operator: ${decision.reason}`}
    </Notice>
  );
}

function AskForPlan({ account: { accountId }, plan }: { readonly account: Account; readonly plan: Plan }) {
  const [note, setNote] = useDraft('note', '');
  const ask = useRequest('PUT', '/accounts/{accountId}/plan-request', { accountId }, { successMessage: 'Request sent.' });
  return (
    <Dialog header={`Request the ${plan.label} plan`} {...changing('Request', ask, { plan: plan.plan, note: note.trim() })}>
      {plan.domains === 0 && <Notice kind="warning">{plan.label} has no custom domains: those of this account would be suspended.</Notice>}
      <Field label="Note" description="What the operator should know. You can leave it empty.">
        <Input value={note} change={setNote} />
      </Field>
    </Dialog>
  );
}
