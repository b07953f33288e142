// What failures mean to the user: sentences about what to enter, instead of the API's messages, which are about what was sent.

import { ApiError, troubleOf } from '../../core/http/api-error.ts';
import { faultsIn } from '../../core/text.ts';

/** Returns the message about a failed read. */
export function readFailureText(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached." : textOf(error);
}

/** Whether a change may have been made despite the failure, because its response was lost or it is still in progress. */
export function mayHaveWorked(error: Error): boolean {
  return troubleOf(error) !== undefined || (error instanceof ApiError && error.code === 'idempotency_in_progress');
}

/** Returns the message about a failed change. */
export function changeFailureText(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached. The change may have been made: check before you try again." : textOf(error);
}

function textOf(error: Error): string {
  return problemsOf(error)
    .map(({ text }) => text)
    .join(' ');
}

/** One problem with a change. */
export interface Problem {
  /** The field's name in the API, such as `name` or `domains.redirects[0].from`; undefined if the problem is not about a field. */
  readonly field: string | undefined;
  /** A sentence. */
  readonly text: string;
}

const CHANGED_MEANWHILE =
  'Another user, or another window of yours, changed this in the meantime, so nothing was saved. Review it, and make your change again.';

const SIGN_IN_AGAIN = "You signed in more than an hour ago, so nothing was changed. Sign in again; you'll return to this page.";

/** A line about a field (core/validate.ts): `body name: got ""; allowed: …`. */
const ABOUT_FIELD = /^(?:body |query parameter )?(?<field>[\w.[\]]+(?: \w+)?): (?:missing|got .*); allowed: (?<allowed>.*)$/;
const UNKNOWN_FIELD = /^(?:body )?(?<within>[\w.[\]]+) (?<names>".*"(?: and more)?): not known; (?:leave it out|allowed: (?<known>.*))$/;
const LOOP = /^[\w.]+: (?<loop>.*) form a loop; allowed: .*$/;
const NOT_YOURS = /^no (?<what>\w+) ".*" among yours$/;
/** Ids, with the kind of thing that they identify. A page shows the thing's name instead. */
const IDS = /(\bby )?(?:\b(?:account|deployment|domain|invitation|key|project|token) )?"?\b(acc|dpl|dom|inv|key|prj|tok)_\w+"?/g;
const KINDS: Readonly<Record<string, string>> = {
  acc: 'account',
  dpl: 'deployment',
  dom: 'domain',
  inv: 'invitation',
  key: 'key',
  prj: 'project',
  tok: 'token',
};
/** Hints for command-line users. */
const COMMANDS = / \((?:petstore|--)[^)]*\)|; petstore [^;]*$|; listMembers [^;]*$|publish or cancel one, such as \w+, or /g;

/** Whether the user must sign in again before the change can be made. */
export function needsSignIn(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'insufficient_user_authentication';
}

/** Returns what is wrong, one problem for each line of the API's message. */
export function problemsOf(error: Error): readonly Problem[] {
  if (error instanceof ApiError && error.code === 'precondition_failed') return [{ field: undefined, text: CHANGED_MEANWHILE }];
  if (needsSignIn(error)) return [{ field: undefined, text: SIGN_IN_AGAIN }];
  return faultsIn(error.message).map(problemOf);
}

function problemOf(line: string): Problem {
  const { field, allowed } = ABOUT_FIELD.exec(line)?.groups ?? {};
  if (field !== undefined && allowed !== undefined) return { field, text: instruction(field, allowed) };
  const { within, names, known } = UNKNOWN_FIELD.exec(line)?.groups ?? {};
  const { loop } = LOOP.exec(line)?.groups ?? {};
  const { what } = NOT_YOURS.exec(line)?.groups ?? {};
  const text =
    (names !== undefined && `${names} is not known in ${within}: ${known === undefined ? 'remove it' : `use ${known}`}`) ||
    (loop !== undefined && `these redirects form a loop: ${loop}`) ||
    (what !== undefined && `this ${what} does not exist, or belongs to another account`) ||
    line
      .replace(COMMANDS, '')
      .replace(IDS, (_, by: string | undefined, prefix: string) => `${by === undefined ? 'this' : 'by another'} ${KINDS[prefix]}`);
  return { field: undefined, text: sentence(text) };
}

/** Instructions for what the API allows, where `Enter …` would be hard to understand. DNS calls the parts between a name's dots labels. */
const INSTRUCTIONS: readonly (readonly [RegExp, string])[] = [
  [/^a name without empty labels$/, 'Enter a name that does not start with a dot and has no two dots in a row.'],
  [/^labels of one script each;.*$/, 'Enter a name in letters of one alphabet: this one mixes alphabets, or looks like another name.'],
  [/^labels of at most (\d+) .*; one has (\d+)$/, 'Enter at most $1 characters between dots: one part of this name has $2.'],
  [
    /^labels of letters, digits and hyphens, no hyphen at either end; one is (.*)$/,
    'Use letters, digits and hyphens, with no hyphen next to a dot or at an end. One part is $1.',
  ],
  [/^labels of .*$/, 'Use only letters, digits and hyphens.'],
  [/^at most (\d+) characters in ASCII; this one has (\d+)$/, 'Enter at most $1 characters: this name has $2.'],
  [/^(1 to \d+ characters), not blank, no control characters$/, 'Enter $1.'],
  [/^each domain once$/, 'This domain is already redirected: choose another.'],
  [/^a domain of this project, add it first$/, 'Add this domain to the project first.'],
];
/** Fields with a list to choose from. */
const CHOICES = /^(domains\.|scopes|type$)/;

function instruction(field: string, allowed: string): string {
  const [pattern, text] = INSTRUCTIONS.find(([each]) => each.test(allowed)) ?? [];
  if (field.startsWith('domains.') && allowed.startsWith('a host name')) return 'Choose a domain.';
  if (pattern !== undefined && text !== undefined) return allowed.replace(pattern, text);
  return sentence(`${CHOICES.test(field) ? 'Choose' : 'Enter'} ${allowed}`);
}

/** The API's messages start in lower case and have no period. Host names and ids at the start stay as they are. */
export function sentence(text: string): string {
  const start = /^[a-z]+(?=[ ,:;]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
