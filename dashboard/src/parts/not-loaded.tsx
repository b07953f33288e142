// Shown if a page's code can't be loaded: the service is unreachable, or a new version has replaced it. The URL is reloaded once the service
// responds. (TanStack's lazyRouteComponent reloads it at once, which may show the browser's error page.)

import { type FunctionComponent, useEffect } from 'react';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';

const RETRY_MS = 2_000;
/** Marks that this page was reloaded in this tab, so that it is not reloaded repeatedly if the new version lacks the page as well. */
const reloadedKey = (page: string) => `petstore.reloaded:${page}`;

/** Thrown if a page's code can't be loaded. */
export class NotLoaded extends Error {
  readonly page: string;

  constructor(page: string, cause: unknown) {
    super(`${page} could not be loaded`, { cause });
    this.page = page;
  }
}

/** Returns the page that a module exports under this name. @throws NotLoaded */
export async function loadPage<Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, page: Name): Promise<FunctionComponent> {
  try {
    const module = await load();
    sessionStorage.removeItem(reloadedKey(page));
    return module[page];
  } catch (cause) {
    throw new NotLoaded(page, cause);
  }
}

/** Reloads the URL as soon as the service responds. */
export function Reopen({ page }: { readonly page: string }) {
  useEffect(() => {
    const key = reloadedKey(page);
    if (sessionStorage.getItem(key) !== null) return;
    const timer = setInterval(async () => {
      const { ok } = await fetch('/dashboard/config.json', { method: 'HEAD', cache: 'no-store' }).catch(() => ({ ok: false }));
      if (!ok) return;
      sessionStorage.setItem(key, 'yes');
      location.reload();
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [page]);
  return (
    <Page title="Page not loaded">
      <Failure error={new Error('The page will open as soon as the service responds.')} retry={() => location.reload()} />
    </Page>
  );
}
