// The API reference: reads the service's own OpenAPI documents and renders everything from them.

import '@fontsource-variable/figtree/index.css';
import '../../dashboard/src/ui/tokens.css';
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Reference } from './reference.tsx';
import { apiIn, loadApi } from './source.ts';

const root = createRoot(document.getElementById('root') as HTMLElement);

try {
  const api = await loadApi(apiIn(location.search));
  document.title = api.document.info.title;
  root.render(
    <StrictMode>
      <Reference api={api} />
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <main className="failure" role="alert">
      <h1>The reference could not be loaded</h1>
      <p>{error instanceof Error ? error.message : String(error)}. Check that the service is running, then reload this page.</p>
    </main>,
  );
}
