// A domain's progress: its stages in order, and when each stage was reached.

import { adviceOn } from '../advice.ts';
import { serviceClockAheadMs } from '../api.ts';
import { useConfiguration } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { isAtStage, stagesOf, untilText } from '../stages.ts';
import { localDay } from '../times.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { Ago, Breakable, useNow } from './text.tsx';

/** A domain's stages and its next automatic check. */
export function Timeline({ domain }: { readonly domain: Domain }) {
  return (
    <div className="stack">
      <ol className="timeline">
        {stagesOf(domain).map(({ text, status, at }) => (
          <li key={text}>
            <Status kind={status}>{text}</Status>
            {at !== undefined && (
              <small className="muted">
                <Ago at={at} />
              </small>
            )}
          </li>
        ))}
      </ol>
      {!isAtStage(domain) && <Status kind="warning">{domain.stateLabel}</Status>}
      {domain.inProgress && <NextCheck domain={domain} />}
    </div>
  );
}

const TICK_MS = 1_000;

const EXPECTED: Readonly<Partial<Record<Domain['state'], string>>> = {
  verifying: 'New records are usually found within minutes; it can take up to 48 hours.',
  certificate_pending: 'A certificate usually takes a few minutes.',
  attaching: 'This usually takes a few minutes.',
  removing: 'This takes a few minutes.',
};

/** Counts down to the next check. Not a live region, because screen readers should announce what a check finds, not each second. */
export function NextCheck({ domain: { state, nextCheckAt, diagnosis } }: { readonly domain: Pick<Domain, 'state' | 'nextCheckAt' | 'diagnosis'> }) {
  const now = useNow(TICK_MS);
  // Nothing is shown while the first check is in progress.
  const expected = state === 'verifying' && diagnosis === null ? undefined : EXPECTED[state];
  return (
    <p className="muted">
      {nextCheckAt !== undefined && `Next automatic check ${untilText(Date.parse(nextCheckAt) - now)}. `}
      {expected !== undefined && `${expected} `}
      You can close this page; checks continue.
    </p>
  );
}

/** An alert with the advice on domains; empty if there is none. Only changes are announced to screen readers. */
export function Advice({ domains }: { readonly domains: readonly Domain[] }) {
  const advice = adviceOn(domains);
  return (
    <div role="status">
      {advice !== undefined && (
        <Notice kind={advice.severity} title={<Breakable text={advice.header} />}>
          {[...new Set(advice.lines)].map((line) => (
            <p key={line}>
              <Breakable text={line} />
            </p>
          ))}
        </Notice>
      )}
    </div>
  );
}

/** Facts about a served domain, one line each. */
export function LiveFacts({ domain: { projectId, host, certificate, dnsSeenAt } }: { readonly domain: Domain }) {
  const redirects = useConfiguration(projectId).data?.domains.redirects ?? [];
  const leading = redirects.filter(({ to }) => to === host).map(({ from, status }) => `${from} redirects here (${status}).`);
  const now = Date.now() + serviceClockAheadMs();
  const isDue = certificate !== null && Date.parse(certificate.renewsAt) <= now;
  return (
    <>
      {leading.length > 0 && (
        <p>
          <Breakable text={leading.join(' ')} />
        </p>
      )}
      <p>
        {certificate === null
          ? 'The certificate is issued and renews automatically.'
          : `Certificate valid until ${localDay(certificate.notAfter)}, renews automatically ${isDue ? 'now' : `after ${localDay(certificate.renewsAt)}`}.`}
      </p>
      <small className="muted">
        {certificate !== null && `Issued by ${certificate.issuer}. `}
        {dnsSeenAt !== null && (
          <>
            DNS last checked <Ago at={dnsSeenAt} />.
          </>
        )}
      </small>
    </>
  );
}
