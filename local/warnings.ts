// What the operator of a service that has started should know.

import { statSync } from 'node:fs';
import type { Settings } from '../platforms/embedded/settings.ts';

/** Checks the data folder's permissions. @returns a sentence; none if only its owner has access */
export function folderWarnings(folder: string): readonly string[] {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  return [
    `PETSTORE_DATA: other users of this machine can access ${folder} (mode ${mode.toString(8)}); allowed: only its owner; run chmod 700 ${folder}`,
  ];
}

/** Checks for settings that have no effect, because an adapter takes their place. @param providers the adapter's name of each port that one provides */
export function settingWarnings({ mail }: Pick<Settings, 'mail'>, providers: { readonly mailer?: string | undefined }): readonly string[] {
  if (mail === undefined || providers.mailer === undefined) return [];
  return [
    `PETSTORE_SMTP_URL, PETSTORE_MAIL_FROM: not used, because the adapter ${providers.mailer} sends emails; remove these settings, or the adapter`,
  ];
}
