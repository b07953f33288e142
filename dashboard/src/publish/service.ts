// The ports that publishing needs, implemented for browsers.

import { ApiError } from '../../../core/http/api-error.ts';
import { type Begun, isOwnPath, type PublishingPorts, type Target, type Wait } from '../../../core/publishing/publishing.ts';
import type { Api } from '../api.ts';
import type { Session } from '../session.ts';

/** Creates the ports for publishing in a project. */
export function publishingPorts({ api, session }: { readonly api: Api; readonly session: Session }, projectId: string): PublishingPorts {
  const storageKey = `petstore.upload:${projectId}`;
  return {
    begin: async (files, signal) => {
      const begun = await api.send('POST', '/projects/{projectId}/uploads', { projectId }, { body: { files: [...files] }, signal });
      return begun.deploymentId;
    },
    list: (deploymentId, after, signal) =>
      api.send(
        'GET',
        '/projects/{projectId}/uploads/{deploymentId}',
        { projectId, deploymentId },
        { query: after === undefined ? {} : { after }, signal },
      ),
    put: async (target, content, moved, signal) => send(target, content, isOwnPath(target.url) ? await session.token() : undefined, moved, signal),
    publish: (deploymentId, signal) =>
      api.send('POST', '/projects/{projectId}/uploads/{deploymentId}/publish', { projectId, deploymentId }, { signal }),
    cancel: (deploymentId) => api.send('DELETE', '/projects/{projectId}/uploads/{deploymentId}', { projectId, deploymentId }),
    wait: waitInBrowser,
    unfinished: {
      get: () => {
        const stored = sessionStorage.getItem(storageKey);
        return stored === null ? undefined : (JSON.parse(stored) as Begun);
      },
      set: (begun) => {
        if (begun === undefined) sessionStorage.removeItem(storageKey);
        else sessionStorage.setItem(storageKey, JSON.stringify(begun));
      },
    },
  };
}

/** Sends a file with XMLHttpRequest, which reports how much has been sent. */
function send(
  { name, url, headers }: Target,
  content: Blob,
  token: string | undefined,
  moved: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.onprogress = ({ loaded }) => moved(loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(refusal(name, request)));
    request.onerror = () => reject(new TypeError(`${name}: no answer`));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.send(content);
  });
}

function refusal(name: string, { status, responseText }: XMLHttpRequest): ApiError {
  try {
    const { code, message } = JSON.parse(responseText) as { code: string; message: string };
    return new ApiError(status, code, `${name}: ${message}`);
  } catch {
    // S3 responds with XML, which is not meant for people.
    return new ApiError(status, 'refused', `${name} was refused (${status}). If it has changed, choose the files again.`);
  }
}

const waitInBrowser: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
