// What the owner of a domain is shown. The text comes from the service (core/domains/diagnosis/advice.ts); this file formats it.

import type { Domain, DomainState } from './shapes.ts';

export interface Advice {
  readonly severity: 'info' | 'warning' | 'error';
  /** What to do. */
  readonly header: string;
  readonly seen: string;
  /** Who must act. */
  readonly actor: string;
}

type DomainAdvice = NonNullable<Domain['advice']>;

const ACTORS: Readonly<Record<DomainAdvice['actor'], string>> = {
  owner: 'You',
  dns_provider: 'Your DNS provider',
  platform: 'The operator',
  nobody: 'No one. Just wait.',
};

/** A record in the API's messages: its type, its name, its value. */
const RECORD = /: [A-Z][^:;]*, value ([^ ;]+)/g;

/** The advice to show; undefined if there is nothing to do. @param listed records that are shown below it, and so are not repeated */
export function adviceFor({ advice, state }: Pick<Domain, 'advice' | 'state'>, listed: Domain['records'] = []): Advice | undefined {
  if (advice === null) return undefined;
  const { seen, fix, actor } = advice;
  const header = fix.replace(RECORD, (record, value) => (listed.some((each) => each.value === value) ? ': the one below' : record));
  return { severity: severityOf(advice, state), header: sentence(header), seen: sentence(seen), actor: ACTORS[actor] };
}

function severityOf({ actor }: DomainAdvice, state: DomainState): Advice['severity'] {
  switch (state) {
    case 'dns_failed':
    case 'certificate_failed':
    case 'certificate_expired':
      return 'error';
    case 'awaiting_dns':
    case 'verifying':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'live':
    case 'degraded':
    case 'suspended':
    case 'removing':
    case 'taken_over':
    case 'removed':
      return actor === 'nobody' ? 'info' : 'warning';
  }
}

/** The API's messages start in lower case, because they follow a name there. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
