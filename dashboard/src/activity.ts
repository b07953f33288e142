// The audit log's entries as sentences, which begin with the actor.

import type { AuditEntry } from './shapes.ts';

/** Names by id, as far as they are known. */
export type Names = ReadonlyMap<string, string>;

/** `{}` is the name of what has changed; `{x}` is a detail of the entry, or the name of the thing that the detail identifies. */
const WORDS: Readonly<Partial<Record<AuditEntry['action'], string>>> = {
  'account.created': 'created the account, on plan {plan}',
  'account.renamed': 'renamed the account to {name}',
  'account.plan_set': 'set the plan to {plan}',
  'account.plan_requested': 'requested the plan {plan}',
  'account.plan_request_closed': 'closed the plan request',
  'account.suspended': 'suspended the account: {reason}',
  'account.resumed': 'ended the suspension',
  'account.second_factor_required': 'required a second factor from all members',
  'account.second_factor_optional': 'stopped requiring a second factor',
  'key.issued': 'created the key {name}',
  'key.expiry_set': 'set the key {} to expire on {expiresAt}',
  'key.changed': 'changed the key {}',
  'key.paused': 'paused the key {}',
  'key.resumed': 'resumed the key {}',
  'key.unbanned': 'lifted the ban on the key {}',
  'key.revoked': 'revoked the key {}',
  'member.added': 'added {} as {role}',
  'member.role_set': 'made {} {role}',
  'member.removed': 'removed the member {}',
  'invitation.created': 'invited {email} as {role}',
  'invitation.link_created': 'created a new invitation link for {email}',
  'invitation.removed': 'withdrew the invitation to {email}',
  'deploy_token.issued': 'created the deploy token {name}',
  'deploy_token.revoked': 'revoked the deploy token {name}',
  'project.created': 'created the project {name}',
  'project.renamed': 'renamed a project to {name}',
  'project.configured': 'changed the settings of the project {}',
  'project.deleted': 'deleted a project',
  'deployment.published': 'published to the project {projectId}',
  'deployment.served': 'rolled the project {projectId} back to an earlier deployment',
  'deployment.pinned': 'pinned a deployment of the project {projectId}',
  'deployment.unpinned': 'unpinned a deployment of the project {projectId}',
  'deployment.deleted': 'deleted a deployment of the project {projectId}',
  'files.removed': 'removed files that are no longer needed',
  'domain.added': 'added {host}',
  'sandbox_record.set': 'set a sandbox record for {}',
  'sandbox_record.removed': 'removed sandbox records for {}',
  'animals.imported': 'started importing animals',
  'animal.removed': 'removed an animal',
};

/** States that the service finds, each with its own sentence. */
const FOUND: Readonly<Record<string, string>> = {
  verified: '{host} has the right records',
  certificate_pending: 'A certificate for {host} was requested',
  attaching: 'The certificate for {host} was issued',
  live: '{host} went live',
  dns_failed: 'The records of {host} were not found in time',
  certificate_failed: 'No certificate could be issued for {host}',
  certificate_expired: 'The certificate for {host} has expired',
  degraded: '{host} no longer points here',
  suspended: '{host} is no longer served',
  removed: '{host} was removed',
};
/** States that someone sets. */
const SET: Readonly<Record<string, string>> = { verifying: 'checked the records of {host}', removing: 'started removing {host}' };

const ACTORS: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  user: 'A user',
  deploy_token: 'A pipeline',
  operator: 'The operator',
  visitor: 'Someone',
  workflow: 'The service',
  sweep: 'The service',
  service: 'The service',
};

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Returns who did something: `You`, an address, or the kind of actor. @param me id of the reader */
export function actorOf({ actor }: AuditEntry, me: string | undefined): string {
  if (actor.kind === 'user' && actor.id !== null && actor.id === me) return 'You';
  return actor.email ?? ACTORS[actor.kind];
}

/** Returns an entry as a sentence without its period, such as `You revoked the key Till (…daEa)`. */
export function sentenceOf(entry: AuditEntry, names: Names, me: string | undefined): string {
  const { action, subject, details } = entry;
  const state = action === 'domain.state_set' ? String(details.to) : undefined;
  const found = state === undefined ? undefined : FOUND[state];
  const isOwn = entry.actor.id === subject;
  const words =
    found ??
    (isOwn && action === 'member.removed' ? 'left the account' : undefined) ??
    (isOwn && action === 'member.added' ? 'joined as {role}' : undefined) ??
    (state === undefined ? WORDS[action] : (SET[state] ?? `changed the state of {host} to ${state.replaceAll('_', ' ')}`)) ??
    action.replace(/[._]/g, ' ');
  const filled = words.replace(/\{(\w*)\}/g, (_, name: string) => {
    const value = name === '' ? subject : String(details[name] ?? '');
    return names.get(value) ?? (ISO_TIME.test(value) ? moment.format(new Date(value)) : value);
  });
  return found === undefined ? `${actorOf(entry, me)} ${filled}` : filled;
}
