// Waiting in a browser.

import type { Wait } from '../../../core/publishing/retry.ts';

/** Waits with a timer. */
export const waitInBrowser: Wait = (milliseconds, signal) =>
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
