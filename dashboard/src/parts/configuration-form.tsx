// A form for a project's primary domain and redirects.

import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { addRedirect, type DomainConfiguration, removeRedirect, setPrimary, setRedirect } from '../configuration-draft.ts';

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
  return (
    <SpaceBetween size="l">
      <FormField label="Primary domain" description="The project's main domain. It must be live.">
        <Select
          selectedOption={primary === undefined ? NO_PRIMARY : optionOf(primary)}
          options={[NO_PRIMARY, ...hosts.map(optionOf)]}
          onChange={({ detail }) => change(setPrimary(draft, detail.selectedOption.value))}
        />
      </FormField>
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
            control: ({ from }, index) => (
              <HostSelect placeholder="A domain" host={from} hosts={hosts} change={(host) => change(setRedirect(draft, index, { from: host }))} />
            ),
          },
          {
            label: 'To',
            control: ({ to }, index) => (
              <HostSelect placeholder="A live domain" host={to} hosts={hosts} change={(host) => change(setRedirect(draft, index, { to: host }))} />
            ),
          },
          {
            label: 'Status',
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
