// What an owner sets at the DNS provider: the provider's steps and the records for its form, or the records for any provider.

import { useVerify } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { needsRecords } from '../stages.ts';
import { Fold, Section } from '../ui/blocks.tsx';
import { Button, ExternalLink } from '../ui/button.tsx';
import { FormRecords, type Provider, Records } from './records.tsx';
import { Refusal } from './refusal.tsx';

interface OfDomains {
  /** One domain, or two that were added together. */
  readonly domains: readonly [Domain, ...Domain[]];
}

/** Checks domains now. */
export function Verify({ domains }: OfDomains) {
  const [{ projectId, served }] = domains;
  const verify = useVerify(projectId, { announcesFailure: true });
  const toVerify = domains.filter(({ canVerify }) => canVerify).map(({ domainId }) => domainId);
  if (toVerify.length === 0) return null;
  return (
    <Button
      {...(!served && !domains.some(({ canPublish }) => canPublish) && { kind: 'primary' })}
      onClick={() => verify.mutate(toVerify)}
      busy={verify.isPending}
    >
      Verify
    </Button>
  );
}

/** Whether we can set a domain's records; false while the records are being checked. */
function isForUs({ canPublish, served, state, diagnosis }: Domain): boolean {
  return canPublish && !served && state !== 'removing' && (state !== 'verifying' || diagnosis !== null);
}

/** The records, and possible actions while they are not right. */
export function SetUp({ domains }: OfDomains) {
  const [{ projectId }] = domains;
  const setUp = useVerify(projectId, { setsRecords: true });
  const own = domains.filter(isForUs);
  const actions = (
    <div className="row">
      {domains.some(needsRecords) && <Verify domains={domains} />}
      {own.length > 0 && (
        <Button kind="primary" onClick={() => setUp.mutate(own.map(({ domainId }) => domainId))} busy={setUp.isPending}>
          Set up for me
        </Button>
      )}
    </div>
  );
  const providers = domains.map(({ provider }) => provider).filter((provider) => provider !== null);
  const [first, ...others] = providers;
  // A provider's steps are shown only if all domains are hosted there.
  const known = first !== undefined && providers.length === domains.length && others.every(({ id }) => id === first.id);
  if (!known)
    return (
      <Refusal failure={setUp.error} header="Not set up">
        <Records domains={domains} actions={actions} />
      </Refusal>
    );
  return (
    <Refusal failure={setUp.error} header="Not set up">
      <Instructions provider={first} notes={[...new Set(providers.flatMap(({ notes }) => notes))]}>
        {actions}
      </Instructions>
      <FormRecords providers={[first, ...others]} />
      <Fold title="At another provider">
        <Records domains={domains} title="Records at another provider" />
      </Fold>
    </Refusal>
  );
}

interface InstructionsProps {
  readonly provider: Provider;
  readonly notes: readonly string[];
  readonly children: React.ReactNode;
}

function Instructions({ provider: { name, steps, link, automation }, notes, children }: InstructionsProps) {
  return (
    <Section title={`At ${name}`} actions={children} description="Your domain uses this provider's name servers.">
      <div className="stack">
        <ol className="steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {notes.map((note) => (
          <div key={note}>{note}</div>
        ))}
        <div className="row">
          <ExternalLink href={link}>Open {name}</ExternalLink>
          {automation !== null && <ExternalLink href={automation}>Set up automatically there</ExternalLink>}
        </div>
      </div>
    </Section>
  );
}
