// Responses and log entries when the OpenID provider fails. If storage fails, a page asks the user to retry; client errors are not faults; and each
// fault is reported once.

import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { StoreFault } from '../../core/refusal.ts';
import { html, PAGE_HEADERS, redirect, unavailablePage } from './sign-in-page.ts';

/** Seconds to wait when storage fails: longer than another process holds its lock. */
const RETRY_AFTER = '5';
/** Error codes of a connection that the client has closed; no response is possible. */
const CLIENT_GONE = ['ECONNRESET', 'EPIPE'];

/** The user was removed after entering the password. */
export class UserGone extends errors.SessionNotFound {
  /** The user is not sent back to the dashboard, which would show this as an error. */
  override allow_redirect = false;

  constructor() {
    super('the user no longer exists');
  }
}

export interface ProviderFaults {
  /** The library's hook for error pages. */
  readonly renderError: NonNullable<Configuration['renderError']>;
  /** Handles errors for which the library would only send a bare 500 or print to the console. */
  watch(provider: Provider): void;
  /** Answers a request that failed outside the library. */
  answer(response: ServerResponse, error: unknown): void;
}

/** Creates the provider's error handling. @param start URL where signing in begins */
export function createProviderFaults(start: string, onFault: (error: unknown) => void): ProviderFaults {
  const showUnavailable = (context: Pick<KoaContextWithOIDC, 'status' | 'body' | 'set'>) => {
    context.status = 503;
    context.set({ ...PAGE_HEADERS, 'retry-after': RETRY_AFTER });
    context.body = unavailablePage(start);
  };
  return {
    renderError: (context, out, error) => {
      if (error instanceof UserGone) {
        context.status = 303;
        return context.redirect(start);
      }
      if (error instanceof StoreFault) return showUnavailable(context);
      context.type = 'text/plain';
      context.body = `Sign-in failed: ${out.error_description ?? out.error}. Go back to ${start} and try again.\n`;
    },
    watch: (provider) => {
      provider.on('server_error', (context, error) => {
        onFault(error);
        if (!(error instanceof StoreFault)) return;
        context.status = 503;
        context.set('retry-after', RETRY_AFTER);
      });
      provider.use(async (context, next) => {
        try {
          await next();
        } catch (error) {
          if (!(error instanceof StoreFault)) throw error;
          // If a session can't be stored, the library answers and then tries to store it again; the second failure is not reported.
          if (context.status !== 503) onFault(error);
          showUnavailable(context);
        }
      });
      // Without a listener, the library prints these errors.
      const events: EventEmitter = provider;
      events.on('error', (error: NodeJS.ErrnoException & { readonly expose?: boolean }) => {
        if (error.expose !== true && !CLIENT_GONE.includes(error.code ?? '')) onFault(error);
      });
    },
    answer: (response, error) => {
      // The link has expired or belongs to another browser, so sign-in starts again.
      if (error instanceof errors.SessionNotFound) return redirect(response, start);
      onFault(error);
      if (response.headersSent) return void response.destroy();
      if (error instanceof StoreFault) response.setHeader('retry-after', RETRY_AFTER);
      html(response, error instanceof StoreFault ? 503 : 500, unavailablePage(start));
    },
  };
}
