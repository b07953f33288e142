// What every page uses: the API, the session, and messages to the user.

import { createContext, useContext } from 'react';
import type { Api } from './api.ts';
import type { Session } from './session.ts';

export interface Message {
  readonly id: string;
  readonly type: 'success' | 'info' | 'error';
  readonly content: string;
}

export interface Application {
  readonly api: Api;
  readonly session: Session;
  readonly messages: readonly Message[];
  /** Shows a message: a success for a while, a failure until it is dismissed. */
  notify(type: Message['type'], content: string): void;
  dismiss(id: string): void;
}

const ApplicationContext = createContext<Application | undefined>(undefined);

export const ApplicationProvider = ApplicationContext.Provider;

/** Returns the dashboard's context. Throws outside the application. */
export function useApplication(): Application {
  const application = useContext(ApplicationContext);
  if (application === undefined) throw new Error('used outside the application');
  return application;
}
