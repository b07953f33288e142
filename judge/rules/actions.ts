// The Service Authorization Reference for the actions in our policies (generate.py): the resources on which each action can be allowed, and the
// condition keys in its requests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ActionReference {
  /** ARN patterns by resource type; empty if the action can only be allowed on `*`. */
  readonly resources: Readonly<Record<string, string>>;
  readonly conditionKeys: readonly string[];
}

const FILE = join(import.meta.dirname, 'actions.json');
const { entries } = JSON.parse(readFileSync(FILE, 'utf8')) as { entries: Readonly<Record<string, ActionReference>> };

/** Keys that every request has (IAM User Guide, "AWS global condition context keys"); only those that we use. */
const GLOBAL_KEYS = ['aws:securetransport', 'aws:sourceaccount', 'aws:sourcearn'];

/** The parts of ARNs that may contain slashes. */
const WITH_SLASHES = /^(ObjectName|ParameterNameWithoutLeadingSlash|LogGroupName|LogStreamName|RoleNameWithPath)$/;

/** The reference entry of an action such as `s3:GetObject`. @throws Error if it is not in actions.json */
export function referenceOf(action: string): ActionReference {
  const entry = entries[action];
  if (entry === undefined) throw new Error(`${action}: not in ${FILE}; generate.py says how it gets there`);
  return entry;
}

/** Whether the action can be allowed on this resource. @param resource from a policy: an ARN, with `*` for unknown parts, or `*` */
export function takesResource(action: string, resource: string): boolean {
  return resource === '*' || Object.values(referenceOf(action).resources).some((arn) => overlap(partsOf(arn), [...resource]));
}

/** Whether a request for the action has this condition key. */
export function takesConditionKey(action: string, key: string): boolean {
  const known = referenceOf(action).conditionKeys.map((each) => each.replace(/\$\{.*\}/, ''));
  return GLOBAL_KEYS.includes(key.toLowerCase()) || known.some((each) => (each.endsWith('/') ? key.startsWith(each) : key === each));
}

const NAME = Symbol('a name');
const NAME_WITH_SLASHES = Symbol('a name with slashes');

type Part = string | typeof NAME | typeof NAME_WITH_SLASHES;

/** An ARN's pattern as a list of characters and named parts. */
function partsOf(arn: string): readonly Part[] {
  return arn.split(/\$\{(\w+)\}/).flatMap((text, index): readonly Part[] => {
    if (index % 2 === 0) return [...text];
    return [WITH_SLASHES.test(text) ? NAME_WITH_SLASHES : NAME];
  });
}

/** Whether some ARN matches both. In a policy's resource, `*` matches any string. */
function overlap(arn: readonly Part[], resource: readonly string[]): boolean {
  const [part, ...laterParts] = arn;
  const [character, ...laterCharacters] = resource;
  if (part === undefined) return resource.every((each) => each === '*');
  if (character === undefined) return false;
  if (character === '*') return overlap(arn, laterCharacters) || overlap(laterParts, resource);
  if (typeof part === 'string') return part === character && overlap(laterParts, laterCharacters);
  if (part === NAME && character === '/') return false;
  return overlap(laterParts, laterCharacters) || overlap(arn, laterCharacters);
}
