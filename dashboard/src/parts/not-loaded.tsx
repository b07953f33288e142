// A page whose code can't be loaded: the service is away, or a new version of the dashboard has taken the place of this one. That is told,
// and the address is opened anew as soon as the service answers. (TanStack's lazyRouteComponent opens it anew at once, which with the
// service away leaves the browser's error page.)

import { type FunctionComponent, useEffect } from 'react';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';

const RETRY_MS = 2_000;
/** Of this page in this tab: what is not there in the new version either is not asked for over and over. */
const reloadedKey = (page: string) => `petstore.reloaded:${page}`;

export class NotLoaded extends Error {
  readonly page: string;

  constructor(page: string, cause: unknown) {
    super(`${page} could not be loaded`, { cause });
    this.page = page;
  }
}

/** What a module exports under the name of a page. @throws NotLoaded */
export async function loadPage<Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, page: Name): Promise<FunctionComponent> {
  try {
    const module = await load();
    sessionStorage.removeItem(reloadedKey(page));
    return module[page];
  } catch (cause) {
    throw new NotLoaded(page, cause);
  }
}

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
    <Page title="Not loaded">
      <Failure error={new Error('The page could not be loaded. It is opened as soon as the service answers.')} retry={() => location.reload()} />
    </Page>
  );
}
