// The page: both APIs, search, introduction and authentication, then each group of operations.

import { useDeferredValue, useEffect, useState } from 'react';
import { useNarrow } from '../../dashboard/src/narrow.ts';
import { Mark } from '../../dashboard/src/ui/icon.tsx';
import { APIS, type ApiName, capitalized, isFound, operationsOf, titleOf } from './document.ts';
import { Guide } from './guide.tsx';
import { OperationSection } from './operation.tsx';
import { type Api, isCopy, type Secret, secretsFor } from './source.ts';
import { Copied, Paragraphs } from './text.tsx';

/** The sections before the operations, by their fragments. */
const SECTIONS = { introduction: 'Introduction', authentication: 'Authentication', guide: 'Limits, pages and retries' };

/** The path to request first. */
const FIRST: Readonly<Record<ApiName, string>> = { catalogue: '/v1/pets', control: '/dashboard/v1/me' };

/** The whole page. */
export function Reference({ api }: { readonly api: Api }) {
  // The key is only in memory, so reloading the page clears it.
  const [key, setKey] = useState('');
  const { info, tags, components } = api.document;
  const [opening = '', ...more] = info.description.split('\n\n');
  const curl = `curl '${api.origin}${FIRST[api.name]}' \\\n  -H 'Authorization: Bearer ${key || (api.name === 'catalogue' ? 'YOUR_API_KEY' : 'YOUR_ACCESS_TOKEN')}'`;
  useEffect(() => {
    // The URL may point to an operation that was not on the page yet when the browser tried to scroll to it.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);

  return (
    <div className="page">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Navigation api={api} />
      <main id="content" tabIndex={-1}>
        <section id="introduction">
          <h1>
            {info.title} <small>{info.version}</small>
          </h1>
          <Paragraphs text={opening} />
          <Copied label="The first request, with curl" language="The first request, with curl" text={curl} />
          <details>
            <summary>More about this API</summary>
            <Paragraphs text={more.join('\n\n')} />
            <a className="alone" href={api.url}>
              OpenAPI document
            </a>
          </details>
        </section>
        <section id="authentication">
          <h2>Authentication</h2>
          {Object.entries(components.securitySchemes).map(([name, { description = '' }]) => (
            <Paragraphs key={name} text={description} />
          ))}
          {!isCopy && <Credential api={api} value={key} change={setKey} />}
        </section>
        <Guide api={api} />
        {tags.map(({ name, description }) => (
          <section key={name} className="tag" aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{capitalized(name)}</h2>
            <Paragraphs text={description} />
            {operationsOf(api.document, name).map((operation) => (
              <OperationSection key={operation.operationId} api={api} operation={operation} apiKey={key} />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}

/** The page's table of contents, which is collapsed on narrow screens. */
function Navigation({ api: { name: current, document: api } }: { readonly api: Api }) {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const groups = api.tags
    .map(({ name }) => ({ name, operations: operationsOf(api, name).filter((operation) => isFound(operation, wanted)) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav aria-label="Operations">
      <a className="home" href="/">
        <Mark />
        Petstore
      </a>
      <p className="apis">
        {(Object.keys(APIS) as ApiName[]).map((name) => (
          <a key={name} href={name === 'catalogue' ? '/docs' : `/docs?api=${name}`} aria-current={name === current ? 'page' : undefined}>
            {APIS[name]}
          </a>
        ))}
        <a href="/">{isCopy ? 'Documents' : 'Dashboard'}</a>
      </p>
      <details open={!useNarrow()}>
        <summary>Contents</summary>
        <input type="search" aria-label="Search operations" placeholder="Search" value={search} onChange={({ target }) => setSearch(target.value)} />
        <ul>
          {Object.entries(SECTIONS).map(([id, text]) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
        <div role="status">{groups.length === 0 && <p>No matching operations.</p>}</div>
        {groups.map(({ name, operations }) => (
          <div key={name}>
            <p className="group">{capitalized(name)}</p>
            <ul>
              {operations.map((operation) => (
                <li key={operation.operationId}>
                  <a href={`#${operation.operationId}`}>
                    <span className={`method ${operation.method.toLowerCase()}`}>{operation.method}</span> {titleOf(operation)}
                    {operation.deprecated && <span className="deprecated">Deprecated</span>}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </details>
    </nav>
  );
}

/** The field for a key or a token, and a choice of the dashboard's secrets in this tab. */
function Credential({ api, value, change }: { readonly api: Api; readonly value: string; readonly change: (value: string) => void }) {
  const { name, origin } = api;
  const [secrets] = useState<readonly Secret[]>(() => secretsFor(name, sessionStorage));
  const kind = name === 'catalogue' ? 'API key' : 'Access token';
  return (
    <>
      <label className="key">
        {kind} for the requests on this page
        <input
          type="password"
          value={value}
          onChange={({ target }) => change(target.value.trim())}
          autoComplete="off"
          spellCheck={false}
          placeholder={name === 'catalogue' ? 'petstore_test_…' : ''}
        />
      </label>
      {secrets.map(({ label, value: secret }) => (
        <button key={label} type="button" onClick={() => change(secret)}>
          {label}
        </button>
      ))}
      <p className="hint">
        It stays in this tab's memory and is sent only to {new URL(origin).host}. Reloading the page clears it.
        {name === 'control' && ' Requests here change your real accounts.'}
      </p>
    </>
  );
}
