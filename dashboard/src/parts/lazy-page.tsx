// A page whose code is loaded when it is first gone to. If it can't be loaded (the service is away, or a new version of the dashboard has
// taken the place of this one), that is told, and the address is opened anew as soon as the service answers.

import { type ComponentType, type FunctionComponent, useEffect, useState } from 'react';
import { Failure, Loading } from './failure.tsx';
import { Page } from './page.tsx';

const RETRY_MS = 2_000;
/** Of this address in this tab: what is not there in the new version either is not asked for over and over. */
const reloadedKey = () => `petstore.reloaded:${location.pathname}`;

export function lazyPage(load: () => Promise<Record<string, ComponentType>>, name: string): FunctionComponent {
  let loaded: ComponentType | undefined;
  return function LazyPage() {
    const [Content, setContent] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Content !== undefined) return;
      load().then(
        (module) => {
          loaded = module[name];
          setContent(() => loaded);
          sessionStorage.removeItem(reloadedKey());
        },
        () => setFailed(true),
      );
    }, [Content]);
    if (Content !== undefined) return <Content />;
    return failed ? <Reopen /> : <Loading />;
  };
}

function Reopen() {
  useEffect(() => {
    if (sessionStorage.getItem(reloadedKey()) !== null) return;
    const timer = setInterval(async () => {
      const { ok } = await fetch('/dashboard/config.json', { method: 'HEAD', cache: 'no-store' }).catch(() => ({ ok: false }));
      if (!ok) return;
      sessionStorage.setItem(reloadedKey(), 'yes');
      location.reload();
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title="Not loaded">
      <Failure error={new Error('The page could not be loaded. It is opened as soon as the service answers.')} retry={() => location.reload()} />
    </Page>
  );
}
