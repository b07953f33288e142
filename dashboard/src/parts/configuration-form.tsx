// The primary domain and the redirects of a project, as a form.

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
  /** Those of the project. */
  readonly hosts: readonly string[];
}

export function ConfigurationForm({ draft, change, hosts }: ConfigurationFormProps) {
  const { primary, redirects } = draft.domains;
  const options = hosts.map((host) => ({ value: host, label: host }));
  const chosen = (host: string) => (host === '' ? null : { value: host, label: host });
  return (
    <SpaceBetween size="l">
      <FormField label="Primary domain" description="The one that the project is known by.">
        <Select
          selectedOption={primary === undefined ? NO_PRIMARY : { value: primary, label: primary }}
          options={[NO_PRIMARY, ...options]}
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
              <Select
                placeholder="A domain"
                selectedOption={chosen(from)}
                options={options}
                onChange={({ detail }) => change(setRedirect(draft, index, { from: detail.selectedOption.value ?? '' }))}
              />
            ),
          },
          {
            label: 'To',
            control: ({ to }, index) => (
              <Select
                placeholder="A live domain"
                selectedOption={chosen(to)}
                options={options}
                onChange={({ detail }) => change(setRedirect(draft, index, { to: detail.selectedOption.value ?? '' }))}
              />
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
