// A form for a project's primary domain, its redirects, and whether visits are logged.

import { type DomainConfiguration, setAccessLog, setPrimary, setRedirects } from '../configuration-draft.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, Select } from '../ui/field.tsx';
import { Actions } from '../ui/menu.tsx';
import { Field } from './refusal.tsx';

const KINDS = { 301: 'permanent', 302: 'temporary', 307: 'temporary', 308: 'permanent' };
export const STATUSES = Object.entries(KINDS).map(([value, text]) => ({ value, label: `${value}, ${text}` }));
const NO_PRIMARY = { value: '', label: 'No primary domain' };
const optionOf = (host: string) => ({ value: host, label: host });

export interface ConfigurationFormProps {
  readonly draft: DomainConfiguration;
  readonly change: (next: DomainConfiguration) => void;
  /** Host names of the project's domains. */
  readonly hosts: readonly string[];
}

/** Edits a draft of the configuration. */
export function ConfigurationForm({ draft, change, hosts }: ConfigurationFormProps) {
  const { primary = '', redirects } = draft.domains;
  const options = hosts.map(optionOf);
  return (
    <div className="stack large">
      <Field name="domains.primary" label="Primary domain" description="The Visit link opens it, and new redirects point to it. It must be live.">
        <Select value={primary} options={[NO_PRIMARY, ...options]} change={(host) => change(setPrimary(draft, host))} />
      </Field>
      <div>
        <h3>Redirects</h3>
        {redirects.length === 0 && <p className="muted">No redirects.</p>}
        {redirects.map((redirect, index) => {
          const { from, to, status } = redirect;
          const name = `domains.redirects[${index}]`;
          const set = (fields: Partial<typeof redirect>) => change(setRedirects(draft, redirects.with(index, { ...redirect, ...fields })));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an unsaved redirect has nothing else that identifies it
            <fieldset key={index} className="fields">
              <legend className="announcement">Redirect {index + 1}</legend>
              <Field name={`${name}.from`} label="From">
                <Select value={from || undefined} options={options} placeholder="A domain" change={(host) => set({ from: host })} />
              </Field>
              <Field name={`${name}.to`} label="To">
                <Select value={to || undefined} options={options} placeholder="A live domain" change={(host) => set({ to: host })} />
              </Field>
              <Field name={`${name}.status`} label="Status">
                <Select value={String(status)} options={STATUSES} change={(chosen) => set({ status: Number(chosen) })} />
              </Field>
              <Actions
                name={`redirect ${index + 1}`}
                items={[{ text: 'Remove', risky: true, run: () => change(setRedirects(draft, redirects.toSpliced(index, 1))) }]}
              />
            </fieldset>
          );
        })}
        <Button onClick={() => change(setRedirects(draft, [...redirects, { from: '', to: primary, status: 301 }]))}>Add redirect</Button>
      </div>
      <Checkbox
        checked={draft.logs?.access === true}
        change={(checked) => change(setAccessLog(draft, checked))}
        description="Records the time, page and, except on AWS, IP address of each visit in the operator's log. IP addresses are personal data: mention them in your privacy notice."
      >
        Log visits
      </Checkbox>
    </div>
  );
}
