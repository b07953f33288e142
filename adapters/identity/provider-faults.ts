// What the OpenID provider answers, and has logged, when something goes wrong: storage that fails is a page that asks to come back, what
// clients do is no fault, and a fault is told of once.

import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { StoreFault } from '../../core/store-fault.ts';
import { html, PAGE_HEADERS, redirect, unavailablePage } from './sign-in-page.ts';

/** In seconds, when storage fails: longer than another process's lock lasts. */
const RETRY_AFTER = '5';
/** Codes of the errors of a connection that the client has closed: there is nobody to answer. */
const CLIENT_GONE = ['ECONNRESET', 'EPIPE'];

/** The user was removed after typing the password. */
export class UserGone extends errors.SessionNotFound {
  /** The dashboard would show it as an error. */
  override allow_redirect = false;

  constructor() {
    super('the user is gone');
  }
}

export interface ProviderFaults {
  /** The library's page of an error. */
  readonly renderError: NonNullable<Configuration['renderError']>;
  /** Answers what the library would answer with a bare 500, or print. */
  watch(provider: Provider): void;
  /** Answers what went wrong outside of the library. */
  answer(response: ServerResponse, error: unknown): void;
}

/** @param start where signing in begins */
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
      context.body = `Signing in did not work: ${out.error_description ?? out.error}. Go back to ${start} and try again.\n`;
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
          // The library tries to store a session once more after it has answered that it can't be stored.
          if (context.status !== 503) onFault(error);
          showUnavailable(context);
        }
      });
      // Without a listener of ours the library prints them.
      const events: EventEmitter = provider;
      events.on('error', (error: NodeJS.ErrnoException & { readonly expose?: boolean }) => {
        if (error.expose !== true && !CLIENT_GONE.includes(error.code ?? '')) onFault(error);
      });
    },
    answer: (response, error) => {
      // Too late, or a link of somebody else: begin anew.
      if (error instanceof errors.SessionNotFound) return redirect(response, start);
      onFault(error);
      if (response.headersSent) return void response.destroy();
      if (error instanceof StoreFault) response.setHeader('retry-after', RETRY_AFTER);
      html(response, error instanceof StoreFault ? 503 : 500, unavailablePage(start));
    },
  };
}
