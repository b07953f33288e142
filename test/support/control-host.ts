// The embedded service in this process, so that its code counts towards coverage.

import { Logger } from '@aws-lambda-powertools/logger';
import { type Service, startService } from '../../local/service.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';

export interface ControlHost extends Service {
  /** Faults in the service itself; should stay empty. */
  readonly faults: readonly unknown[];
}

/**
 * @param port 0 picks a free port
 * @param more settings, by their names in the environment
 */
export async function startControlHost(folder: string, port = 0, more: Readonly<Record<string, string>> = {}): Promise<ControlHost> {
  const free = { PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
  const parsed = parseSettings({ PETSTORE_DATA: folder, PETSTORE_PORT: String(port), ...free, ...more });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const faults: unknown[] = [];
  const service = await startService(parsed.settings, new Logger({ logLevel: 'SILENT' }), (error) => void faults.push(error));
  return { ...service, faults };
}
