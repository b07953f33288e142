// A form that calls an operation and shows the response, next to the same request as code.

import { type FormEvent, useState } from 'react';
import { type OperationAt, resolve, type Schema } from './document.ts';
import { codeOf, indentJson, invalidHeaders, type Language, languagesFor, requestOf, sampleOf } from './request.ts';
import { type Api, isCopy } from './source.ts';
import { Copied } from './text.tsx';

interface TryItProps {
  readonly api: Api;
  readonly operation: OperationAt;
  readonly apiKey: string;
  readonly withKey: boolean;
  /** The initial request body. */
  readonly example: string | undefined;
}

interface Answer {
  readonly status: string;
  readonly milliseconds: number;
  readonly headers: string;
  readonly body: string;
}

/** An operation's form, its response, and the same request as code. @param withKey whether the operation requires an API key */
export function TryIt({ api: { name: apiName, document: api, origin }, operation, apiKey, withKey, example = '' }: TryItProps) {
  const { operationId, parameters = [], requestBody } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      parameters
        .filter(({ required }) => required)
        .map(({ in: location, name, example: sample }) => [`${location} ${name}`, sample === undefined ? '' : String(sample)]),
    ),
  );
  const [body, setBody] = useState(example);
  const [language, setLanguage] = useState<Language>('curl');
  const [answer, setAnswer] = useState<Answer | 'waiting' | { readonly problem: string }>();
  const form = { key: apiKey, parameters: values, body };
  const code = codeOf(language, operation, sampleOf(operation, form, withKey), origin);

  async function send(event: FormEvent) {
    event.preventDefault();
    if (answer === 'waiting') return;
    const request = requestOf(operation, form, withKey && apiKey !== '' ? apiKey : undefined);
    const [invalid] = invalidHeaders(request);
    if (invalid !== undefined) {
      setAnswer({
        problem: `${invalid === 'Authorization' ? (apiName === 'catalogue' ? 'The API key' : 'The access token') : invalid} contains a character that a header can't carry. Check what you entered.`,
      });
      return;
    }
    setAnswer('waiting');
    const { method, target, headers, body: sent } = request;
    const startedAt = performance.now();
    try {
      const response = await fetch(origin + target, {
        method,
        headers,
        cache: 'no-store',
        credentials: 'omit',
        ...(sent !== undefined && { body: sent }),
      });
      const text = await response.text();
      setAnswer({
        status: `${response.status} ${response.statusText}`.trim(),
        milliseconds: Math.round(performance.now() - startedAt),
        headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
        body: indentJson(text),
      });
    } catch (error) {
      setAnswer({ problem: `No response (${error instanceof Error ? error.message : error}). Check that the service is running.` });
    }
  }

  return (
    <div className="try">
      <h4>{isCopy ? 'Request' : 'Try it'}</h4>
      <form onSubmit={send}>
        {parameters.map(({ name, in: location, required = false, schema = {} }) => {
          const id = `${operationId}-${location}-${name}`;
          const field = `${location} ${name}`;
          const change = (value: string) => setValues((before) => ({ ...before, [field]: value }));
          return (
            <div key={field} className="input">
              <label htmlFor={id}>{name}</label>
              <Input id={id} schema={resolve<Schema>(api, schema)} required={required} value={values[field] ?? ''} onChange={change} />
            </div>
          );
        })}
        {requestBody !== undefined && (
          <div className="input">
            <label htmlFor={`${operationId}-body`}>Request body</label>
            <textarea id={`${operationId}-body`} rows={6} spellCheck={false} value={body} onChange={({ target }) => setBody(target.value)} />
          </div>
        )}
        {withKey && apiKey === '' && !isCopy && (
          <p className="hint">
            Requests are sent without {apiName === 'catalogue' ? 'a key' : 'a token'} until you enter one under{' '}
            <a href="#authentication">Authentication</a>.
          </p>
        )}
        {!isCopy && (
          <button type="submit" aria-disabled={answer === 'waiting'}>
            Send request
          </button>
        )}
      </form>
      <div role="status">
        {answer === 'waiting' && <p>Waiting for the response…</p>}
        {answer !== undefined && answer !== 'waiting' && 'problem' in answer && <p className="problem">{answer.problem}</p>}
        {answer !== undefined && answer !== 'waiting' && 'status' in answer && (
          <p>
            <strong>{answer.status}</strong> in {answer.milliseconds} ms
          </p>
        )}
      </div>
      {typeof answer === 'object' && 'status' in answer && (
        <>
          {answer.body !== '' && <Copied label="Response body" language="JSON" text={answer.body} />}
          <Copied label="Response headers" language="HTTP" text={answer.headers} />
        </>
      )}
      <fieldset>
        <legend>Code</legend>
        <div className="choices">
          {languagesFor(apiName, operation).map((each) => (
            <label key={each}>
              <input type="radio" name={`${operationId}-language`} checked={each === language} onChange={() => setLanguage(each)} />
              <span>{each}</span>
            </label>
          ))}
        </div>
        <Copied label={`${operation.summary}, ${language}`} language={language} text={code} />
      </fieldset>
    </div>
  );
}

interface InputProps {
  readonly id: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Input({ id, schema, required, value, onChange }: InputProps) {
  if (schema.enum === undefined) {
    return (
      <input id={id} required={required} value={value} autoComplete="off" spellCheck={false} onChange={({ target }) => onChange(target.value)} />
    );
  }
  return (
    <select id={id} required={required} value={value} onChange={({ target }) => onChange(target.value)}>
      {!required && <option value="">(not sent)</option>}
      {schema.enum.map((each) => (
        <option key={String(each)}>{String(each)}</option>
      ))}
    </select>
  );
}
