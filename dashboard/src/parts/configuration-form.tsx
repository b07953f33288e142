// A form for a project's primary domain, its redirects, and whether visits are logged.

import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Checkbox from '@cloudscape-design/components/checkbox';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { addRedirect, type DomainConfiguration, removeRedirect, setAccessLog, setPrimary, setRedirect } from '../configuration-draft.ts';
import { Field, useProblems } from './refusal.tsx';

const STATUSES = [301, 302, 307, 308].map((status) => ({ value: String(status), label: String(status) }));
const NO_PRIMARY = { value: '', label: 'none' };

export interface ConfigurationFormProps {
  readonly draft: DomainConfiguration;
  readonly change: (next: DomainConfiguration) => void;
  /** Host names of the project's domains. */
  readonly hosts: readonly string[];
}

/** Edits a draft of the configuration. */
export function ConfigurationForm({ draft, change, hosts }: ConfigurationFormProps) {
  const { primary, redirects } = draft.domains;
  const fieldOf = (index: number, name: 'from' | 'to' | 'status') => `domains.redirects[${index}].${name}`;
  const problemAt = useProblems(...redirects.flatMap((_, index) => (['from', 'to', 'status'] as const).map((name) => fieldOf(index, name))));
  return (
    <SpaceBetween size="l">
      <Field name="domains.primary" label="Primary domain" description="The project's main domain. It must be live.">
        <Select
          selectedOption={primary === undefined ? NO_PRIMARY : optionOf(primary)}
          options={[NO_PRIMARY, ...hosts.map(optionOf)]}
          onChange={({ detail }) => change(setPrimary(draft, detail.selectedOption.value))}
        />
      </Field>
      <AttributeEditor
        items={redirects}
        addButtonText="Add redirect"
        removeButtonText="Remove"
        empty="No redirects."
        onAddButtonClick={() => change(addRedirect(draft))}
        onRemoveButtonClick={({ detail }) => change(removeRedirect(draft, detail.itemIndex))}
        definition={[
          {
            label: 'From',
            errorText: (_, index) => problemAt(fieldOf(index, 'from')),
            control: ({ from }, index) => (
              <HostSelect placeholder="A domain" host={from} hosts={hosts} change={(host) => change(setRedirect(draft, index, { from: host }))} />
            ),
          },
          {
            label: 'To',
            errorText: (_, index) => problemAt(fieldOf(index, 'to')),
            control: ({ to }, index) => (
              <HostSelect placeholder="A live domain" host={to} hosts={hosts} change={(host) => change(setRedirect(draft, index, { to: host }))} />
            ),
          },
          {
            label: 'Status',
            errorText: (_, index) => problemAt(fieldOf(index, 'status')),
            control: ({ status }, index) => (
              <Select
                selectedOption={{ value: String(status), label: String(status) }}
                options={STATUSES}
                onChange={({ detail }) => change(setRedirect(draft, index, { status: Number(detail.selectedOption.value) }))}
              />
            ),
          },
        ]}
      />
      <Checkbox
        checked={draft.logs?.access === true}
        onChange={({ detail }) => change(setAccessLog(draft, detail.checked))}
        description="The operator's access log then has the time, page and address of each visit. Addresses are personal data: say so in your privacy notice."
      >
        Log visits
      </Checkbox>
    </SpaceBetween>
  );
}

interface HostSelectProps {
  readonly placeholder: string;
  /** Empty: nothing chosen yet. */
  readonly host: string;
  readonly hosts: readonly string[];
  readonly change: (host: string) => void;
}

function HostSelect({ placeholder, host, hosts, change }: HostSelectProps) {
  return (
    <Select
      placeholder={placeholder}
      selectedOption={host === '' ? null : optionOf(host)}
      options={hosts.map(optionOf)}
      onChange={({ detail }) => change(detail.selectedOption.value ?? '')}
    />
  );
}

function optionOf(host: string) {
  return { value: host, label: host };
}
