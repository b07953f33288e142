// Types of the control API's responses, under the dashboard's names.

import type { operations } from '../../client/control-generated.ts';

type Result<Id extends keyof operations> = operations[Id]['responses'] extends { 200: { content: { 'application/json': infer T } } } ? T : never;

export type Me = Result<'getMe'>;
export type Account = Me['accounts'][number];
export type AccountDetail = Result<'getAccount'>;
export type Member = Result<'listMembers'>[number];
export type AuditEntry = Result<'listAuditEntries'>[number];
export type Role = Member['role'];
export type Invitation = Result<'listInvitations'>[number];
export type ReceivedInvitation = Result<'viewInvitation'>;
export type Sessions = Result<'listSessions'>;
export type Session = Sessions['sessions'][number];
export type SignIn = Sessions['signIns'][number];
export type DeployToken = Result<'listDeployTokens'>[number];
export type Plan = Me['platform']['plans'][number];
export type Project = Result<'getProject'>;
export type Deployment = Result<'listDeployments'>[number];
export type Domain = Result<'getDomain'>;
export type DomainState = Domain['state'];
export type Configuration = Result<'getConfiguration'>;
export type Key = Result<'listKeys'>[number];
export type RevokedKey = Result<'listRevokedKeys'>[number];
export type SandboxRecord = Result<'listSandboxRecords'>[number];
export type Usage = Result<'getUsage'>;
export type Installation = Result<'getInstallation'>;
export type Customer = Result<'listCustomers'>[number];
export type NotificationKind = Result<'getNotificationSettings'>['kinds'][number];

/** Whether a deployment is the placeholder site, which has the same creation time as its project. */
export const isPlaceholder = (deployment: Pick<Deployment, 'createdAt'>, { createdAt }: Project) => deployment.createdAt === createdAt;

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_048_576;

/** Returns a number of files as text. */
export function filesText(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString()} files`;
}

/** Formats a size in bytes, KiB or MiB, to at most one decimal place, on one line. @param bytes at least 0 */
export function sizeText(bytes: number): string {
  const [size, unit] = bytes < KIBIBYTE ? [bytes, 'bytes'] : bytes < MEBIBYTE ? [bytes / KIBIBYTE, 'KiB'] : [bytes / MEBIBYTE, 'MiB'];
  return `${size.toLocaleString('en', { maximumFractionDigits: 1 })}\u00a0${unit}`;
}
