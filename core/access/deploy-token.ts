// Deploy tokens: petstore_deploy_<project><secret><checksum>, all base62. With one, a pipeline can publish a project's files, and do nothing else. A
// token contains its project's id, as an API key contains its account's, and only a SHA-256 digest is stored. Times are in milliseconds since 1970.

import { ID_LENGTH, PROJECT_ID_PREFIX } from '../projects/project.ts';
import { digestOf } from './api-key.ts';
import { CHECKSUM_LENGTH, hasChecksum, type RandomBytes, randomBase62, withChecksum } from './base62.ts';

export interface DeployToken {
  readonly id: string;
  readonly projectId: string;
  readonly digest: string;
  readonly name: string;
  /** Id of the user who created it. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** @default never used */
  readonly lastUsedAt?: number;
}

const PREFIX = 'petstore_deploy_';
/** 30 base62 characters: 178 bits. */
const SECRET_LENGTH = 30;
const PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const ID_TAIL_LENGTH = 12;
const ID_PATTERN = new RegExp(`^tok_([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${ID_TAIL_LENGTH}}$`);

/** Generates a token for the project. Its text is shown once and never stored. */
export function generateDeployToken(projectId: string, randomBytes: RandomBytes): string {
  return withChecksum(`${PREFIX}${projectId.slice(PROJECT_ID_PREFIX.length)}${randomBase62(SECRET_LENGTH, randomBytes)}`);
}

/** Whether the text is meant to be a deploy token, valid or not. */
export function looksLikeDeployToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The parts of a token's text. */
export interface ParsedDeployToken {
  readonly id: string;
  readonly projectId: string;
  readonly digest: string;
}

/** Parses a token; returns undefined if its format or checksum is wrong. Does not check whether the token exists. */
export function parseDeployToken(text: string): ParsedDeployToken | undefined {
  if (!PATTERN.test(text) || !hasChecksum(text)) return undefined;
  const project = text.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  const digest = digestOf(text);
  const tail = digest.slice(0, ID_TAIL_LENGTH).replaceAll('-', '0').replaceAll('_', '1');
  return { id: `tok_${project}${tail}`, projectId: PROJECT_ID_PREFIX + project, digest };
}

/** Returns the project id in a token's id; undefined if the text is not a token's id. */
export function projectIdOfTokenId(tokenId: string): string | undefined {
  const match = ID_PATTERN.exec(tokenId);
  return match === null ? undefined : PROJECT_ID_PREFIX + match[1];
}
