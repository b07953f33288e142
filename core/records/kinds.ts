// The kinds of records that an installation stores, in the form used to move them to another installation: rows that every engine can read and write.
// The names of kinds and columns are those of the SQLite and PostgreSQL tables.

import { PET_FIELD_LIST } from '../pets/fields.ts';

/** Integers are bigints. */
export type RecordValue = string | bigint | boolean | Uint8Array | readonly string[] | null;

/** The values of all columns, in order. */
export type StoredRecord = readonly RecordValue[];

/** `texts`: a list of strings. */
export type ColumnType = 'text' | 'integer' | 'flag' | 'bytes' | 'texts';

export interface RecordKind {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** How many of the first columns identify a record. Records are ordered by these columns: numbers by value, strings by their bytes in UTF-8. */
  readonly key: number;
}

const FACTS = 'id account_id name hint scopes created_by created_at:integer expires_at:integer last_used_at:integer';

const CERTIFICATE = 'chain private_key not_before:integer not_after:integer authority';

const PETS = ['id:integer', ...PET_FIELD_LIST.map(({ column, kind }) => (kind === 'int64' ? `${column}:integer` : column))].join(' ');

/**
 * All kinds, in the order in which they are moved: after those that they refer to. Temporary records are left out: uploads in progress, claims of
 * work, and counters that expire within a minute.
 */
export const RECORD_KINDS = {
  accounts: kind(1, 'id name plan per_minute:integer per_day:integer created_at:integer plan_request suspension second_factor:flag'),
  api_keys: kind(1, `${FACTS} digest successor ban_since:integer ban_until:integer ban_level:integer paused_at:integer`),
  revoked_keys: kind(1, `${FACTS} revoked_at:integer revoked_by`),
  usage: kind(1, 'account_id windows'),
  usage_history: kind(3, 'account_id kind window_number:integer requests:integer'),
  users: kind(1, 'id email password session_generation:integer'),
  passkeys: kind(1, 'id user_id name public_key:bytes counter:integer transports:texts created_at:integer used_at:integer'),
  totp: kind(1, 'user_id secret:bytes step:integer'),
  recovery_codes: kind(2, 'user_id digest'),
  password_resets: kind(1, 'digest user_id expires_at:integer'),
  oidc: kind(2, 'model id grant_id uid user_id expires_at:integer payload agent used_at:integer'),
  ended_sessions: kind(1, 'id expires_at:integer'),
  members: kind(2, 'user_id account_id role'),
  invitations: kind(2, 'account_id email id role invited_by created_at:integer expires_at:integer mailed:flag digests:texts'),
  invitation_days: kind(1, 'sender day:integer sent:integer'),
  notification_settings: kind(1, 'user_id muted:texts unsubscribe_key'),
  notifications: kind(1, 'id account_id at:integer body due_at:integer attempts:integer sent_at:integer done:texts'),
  outbox_open: kind(1, 'id:integer'),
  projects: kind(1, 'id account_id name token created_at:integer current_deployment_id configuration withheld:flag deleted_at:integer'),
  deploy_tokens: kind(1, 'id project_id digest name created_by created_at:integer expires_at:integer last_used_at:integer'),
  deployments: kind(1, 'id project_id created_at:integer files:integer bytes:integer served_at:integer pinned:flag'),
  file_removals: kind(2, 'project_id deployment_id due_at:integer begun_at:integer bytes:integer'),
  certificates: kind(1, `reference host ${CERTIFICATE} window_start:integer window_end:integer ask_again_at:integer`),
  kept_certificates: kind(1, `host ${CERTIFICATE}`),
  own_addresses: kind(1, 'project_id token certificate'),
  edge_map: kind(1, 'host project_id certificate'),
  domains: kind(1, 'id host project_id account_id proved_host active_host wake_at:integer waited_for:flag changed_at:integer body'),
  acme_accounts: kind(1, 'directory private_key url paused_until:integer refused'),
  acme_orders: kind(1, 'reference host private_key url replaces failure'),
  acme_challenges: kind(2, 'host token answer'),
  acme_failures: kind(1, 'reference host failed_at:integer'),
  order_buckets: kind(1, 'key full_at:integer'),
  sandbox_records: kind(3, 'name type value ttl:integer account_id'),
  answers: kind(1, 'id fingerprint answer claimed_until:integer expires_at:integer'),
  audit: kind(1, 'id at:integer account_id action subject actor details'),
  pets: kind(1, PETS),
  idempotency: kind(2, 'owner key fingerprint pet expires_at:integer'),
  /** Only listed here; files are stored by the site store. */
  site_files: kind(3, 'project_id deployment_id name bytes:integer'),
} as const satisfies Readonly<Record<string, RecordKind>>;

export type RecordKindName = keyof typeof RECORD_KINDS;

/** @param columns names, each optionally followed by `:` and its type. @default text */
function kind(key: number, columns: string): RecordKind {
  const parsed = columns.split(' ').map((column) => {
    const [name = '', type = 'text'] = column.split(':');
    return { name, type: type as ColumnType };
  });
  return { key, columns: parsed };
}
