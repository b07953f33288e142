// What an operator can see and change in an account.

import { type ReactNode, useState } from 'react';
import { useMe, useRead, useRequest } from '../queries.ts';
import type { Customer, Plan } from '../shapes.ts';
import { KINDS } from '../stages.ts';
import { Facts, Notice, Status } from '../ui/blocks.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { Field } from './refusal.tsx';
import { Breakable } from './text.tsx';

/** Another account may have the same name, or a similar one. */
export const titleOf = ({ name, accountId }: Customer) => `${name} (${accountId})`;

interface CustomerProps {
  readonly customer: Customer;
}

/** An account's contents. */
export function CustomerDetails({ customer: { accountId, name } }: CustomerProps) {
  const contents = useRead('/operator/accounts/{accountId}/contents', { accountId });
  return (
    <Dialog header={name}>
      <Loaded of={contents}>
        {({ members, keys, projects, domains }) => (
          <Facts
            items={[
              { label: 'Account', value: <span className="hint">{accountId}</span> },
              {
                label: 'Members',
                value: (
                  <Lines of={members} name={({ email, userId }) => email ?? userId} what={({ role }) => <span className="badge">{role}</span>} />
                ),
              },
              { label: 'API keys', value: keys },
              { label: 'Projects', value: projects },
              {
                label: 'Custom domains',
                value: (
                  <Lines
                    of={domains}
                    name={({ displayHost }) => displayHost}
                    what={({ state, stateLabel }) => <Status kind={KINDS[state]}>{stateLabel}</Status>}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface LinesProps<Item> {
  readonly of: readonly Item[];
  readonly name: (item: Item) => string;
  /** Returns what is shown after the name. */
  readonly what: (item: Item) => ReactNode;
}

function Lines<Item>({ of, name, what }: LinesProps<Item>) {
  if (of.length === 0) return 'none';
  return (
    <ul>
      {of.map((each) => (
        <li key={name(each)} className="row">
          <Breakable text={name(each)} /> {what(each)}
        </li>
      ))}
    </ul>
  );
}

const usePlans = () => useMe().data?.platform.plans ?? [];

/** Returns the fields for an agreed quota, and their values. */
function useAgreed(plan: Plan | undefined, { limits, plan: current }: Customer) {
  const isKept = plan?.plan === current;
  const [perMinute, setPerMinute] = useDraft('perMinute', isKept ? String(limits.perMinute) : '');
  const [perDay, setPerDay] = useDraft('perDay', isKept ? String(limits.perDay) : '');
  const isAgreed = plan?.limits === null;
  const fields = isAgreed && (
    <>
      <Field name="perMinute" label="Requests a minute">
        <Input value={perMinute} type="number" min={1} change={setPerMinute} />
      </Field>
      <Field name="perDay" label="Requests a day">
        <Input value={perDay} type="number" min={1} change={setPerDay} />
      </Field>
    </>
  );
  const isMissing = isAgreed && (perMinute.trim() === '' || perDay.trim() === '');
  return { fields, isMissing, agreed: isAgreed ? { perMinute: Number(perMinute), perDay: Number(perDay) } : {} };
}

/** A warning about what a plan without domains means for the account's domains. */
function WithoutDomains({ plan }: { readonly plan: Plan | undefined }) {
  if (plan?.domains !== 0) return null;
  return <Notice kind="warning">{plan.label} has no custom domains: those of this account will be suspended within five minutes.</Notice>;
}

/** Dialog to move an account to another plan. */
export function ChangePlan({ customer }: CustomerProps) {
  const plans = usePlans();
  const [name, setName] = useState(customer.plan);
  const plan = plans.find((each) => each.plan === name);
  const { fields, isMissing, agreed } = useAgreed(plan, customer);
  const change = useRequest('PUT', '/operator/accounts/{accountId}/plan', customer, { successMessage: `${customer.name} is on ${plan?.label} now.` });
  const isSame = name === customer.plan && plan?.limits !== null;
  return (
    <Dialog
      header={`Change the plan of ${titleOf(customer)}`}
      {...changing('Change plan', change, { plan: name, ...agreed }, { disabled: isSame || isMissing })}
    >
      <Field name="plan" label="Plan">
        <Select value={name} change={setName} options={plans.map(({ plan: value, label }) => ({ value, label }))} />
      </Field>
      {fields}
      {!isSame && <WithoutDomains plan={plan} />}
    </Dialog>
  );
}

/** Dialog to decide on a plan request. */
export function Decide({ customer, approved }: CustomerProps & { readonly approved: boolean }) {
  const plans = usePlans();
  const [reason, setReason] = useDraft('reason', '');
  const plan = plans.find((each) => each.plan === customer.planRequest?.plan);
  const { fields, isMissing, agreed } = useAgreed(approved ? plan : undefined, customer);
  const decide = useRequest('POST', '/operator/accounts/{accountId}/plan-request/decision', customer, {
    successMessage: approved ? `${customer.name} is on ${plan?.label} now.` : `${customer.name} keeps its plan.`,
  });
  const text = approved ? 'Approve' : 'Decline';
  return (
    <Dialog
      header={`${text}: ${plan?.label} for ${titleOf(customer)}`}
      {...changing(
        text,
        decide,
        { requestedAt: customer.planRequest?.requestedAt ?? '', approved, reason: reason.trim(), ...agreed },
        { disabled: isMissing },
      )}
    >
      {customer.planRequest !== null && customer.planRequest.note !== '' && (
        <p>
          Their note: <Breakable text={customer.planRequest.note} />
        </p>
      )}
      {fields}
      {approved && <WithoutDomains plan={plan} />}
      <Field name="reason" label="Message to the members" description="You can leave it empty.">
        <Input value={reason} change={setReason} />
      </Field>
    </Dialog>
  );
}

/** Dialog to suspend an account. */
export function Suspend({ customer }: CustomerProps) {
  const [reason, setReason] = useDraft('reason', '');
  const suspend = useRequest('PUT', '/operator/accounts/{accountId}/suspension', customer, { successMessage: `${customer.name} is suspended.` });
  return (
    <Dialog
      header={`Suspend ${titleOf(customer)}`}
      {...changing('Suspend', suspend, { reason: reason.trim() }, { disabled: reason.trim() === '', isDangerous: true })}
    >
      <Notice kind="warning">
        Its API keys are refused and its sites are not served from now on. Nothing is deleted, and you can end the suspension at any time.
      </Notice>
      <Field name="reason" label="Reason" description="For the members: shown to them, and emailed if this service sends emails.">
        <Input value={reason} change={setReason} />
      </Field>
    </Dialog>
  );
}

/** Dialog to end a suspension. */
export function Resume({ customer }: CustomerProps) {
  const resume = useRequest('DELETE', '/operator/accounts/{accountId}/suspension', customer, { successMessage: `${customer.name} is active again.` });
  return (
    <Dialog header={`Resume ${titleOf(customer)}`} {...changing('Resume', resume, undefined)}>
      <p>Its API keys work again, and its sites are served again once their domains are checked.</p>
    </Dialog>
  );
}
