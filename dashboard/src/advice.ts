// What the owner of a domain is told: what is wrong, what to do, and who must act.

import type { Domain } from './shapes.ts';

/** What of a domain the advice is made from. */
export type DomainTrouble = Pick<Domain, 'certificateLate' | 'diagnosis' | 'failure' | 'detail' | 'reason'>;

export interface Advice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly header: string;
  readonly text?: string | undefined;
  readonly seen?: string | undefined;
  /** Who must act. */
  readonly actor?: string | undefined;
}

const ACTORS: Readonly<Record<NonNullable<Domain['diagnosis']>['actor'], string>> = {
  owner: 'You, where the name is registered',
  dns_provider: 'Your DNS provider',
  platform: 'We, the platform',
  nobody: 'Nobody: it takes time',
};
const YOU = 'You';

interface Explanation {
  readonly header: string;
  readonly text: string;
  readonly actor: string;
}

const FAILURES: Readonly<Record<NonNullable<Domain['failure']>, Explanation>> = {
  caa: {
    header: 'A CAA record forbids the certificate authority',
    text: 'Allow the authority in the CAA records of the domain, or remove them, then choose Re-verify.',
    actor: ACTORS.owner,
  },
  validation: {
    header: 'The certificate authority did not find the domain with us',
    text: 'Check that the record below is there, alone and unchanged, then choose Re-verify.',
    actor: ACTORS.owner,
  },
  rate_limited: {
    header: 'The certificate authority has issued too much for this name lately',
    text: 'Wait as long as it says, then choose Re-verify.',
    actor: ACTORS.nobody,
  },
  name_refused: {
    header: 'The certificate authority refuses this name',
    text: 'Remove the domain and add another name, or clear it up with the authority.',
    actor: ACTORS.owner,
  },
  timed_out: {
    header: 'The certificate has not come within 72 hours',
    text: 'Check that the domain still verifies and that CAA records do not block the certificate authority, then choose Re-verify.',
    actor: ACTORS.owner,
  },
  authority_unavailable: {
    header: 'The certificate authority did not answer',
    text: 'Choose Re-verify in a while.',
    actor: ACTORS.nobody,
  },
  edge_not_ready: {
    header: 'The certificate is there, but the domain is not served with it',
    text: 'Choose Re-verify. If it fails again, it is on us.',
    actor: ACTORS.platform,
  },
  other: {
    header: 'The certificate was not issued',
    text: 'Choose Re-verify. If it fails again, tell us what was seen.',
    actor: ACTORS.platform,
  },
};

const SUSPENSIONS: Readonly<Record<NonNullable<Domain['reason']>, Explanation>> = {
  plan: {
    header: 'Not served: the plan has no custom domains',
    text: "They need the plan Pro or above. When the platform's operator has changed it, choose Re-verify.",
    actor: YOU,
  },
  no_deployment: {
    header: 'Not served: the project has nothing to serve',
    text: 'Publish a folder with petstore projects deploy, then choose Re-verify.',
    actor: YOU,
  },
  account: {
    header: 'Not served: the account is not there any more',
    text: 'Ask the operator of the platform.',
    actor: ACTORS.platform,
  },
};

/** What the owner is told to do; undefined if there is nothing. */
export function adviceFor({ certificateLate, diagnosis, failure, detail, reason }: DomainTrouble): Advice | undefined {
  if (certificateLate)
    return {
      severity: 'warning',
      header: 'The certificate has not come within 30 minutes',
      text: 'Check that the domain still verifies and that CAA records at your DNS provider do not block the certificate authority, then choose Re-verify.',
      actor: ACTORS.owner,
    };
  if (failure !== undefined) return explained('error', FAILURES[failure], detail);
  if (reason !== undefined) return explained('warning', SUSPENSIONS[reason], undefined);
  if (diagnosis === null || diagnosis.code === 'ok' || diagnosis.code === 'ok_flattened') return undefined;
  return {
    severity: diagnosis.actor === 'nobody' ? 'info' : 'warning',
    header: sentence(diagnosis.fix),
    seen: sentence(diagnosis.seen),
    actor: ACTORS[diagnosis.actor],
  };
}

function explained(severity: Advice['severity'], { header, text, actor }: Explanation, seen: string | undefined): Advice {
  return { severity, header, text, ...(seen !== undefined && { seen: sentence(seen) }), actor };
}

/** What the API says begins small, because it stands behind a name there. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
