// The records that domains need, each value with a copy button.

import type { ReactNode } from 'react';
import type { Domain } from '../shapes.ts';
import { Fold } from '../ui/blocks.tsx';
import type { Column } from './item-rows.tsx';
import { ItemTable } from './item-table.tsx';
import { Copy } from './text.tsx';

const FOR_SUBDOMAIN =
  'Your DNS provider is usually the company where you bought the name. Changes can take up to 48 hours to take effect everywhere.';
const FOR_APEX =
  "A domain without a subdomain needs ALIAS, ANAME or flattening instead of a CNAME. Cloudflare, DNSimple, Gandi, Namecheap and Porkbun support one of them; at Cloudflare, choose CNAME. If your provider doesn't, use a subdomain such as www.";

const TYPE = { header: 'Type', isShort: true, cell: ({ type }: { readonly type: string }) => type };

/** Returns a column whose values can be copied. */
function copied<Field extends string>(header: string, what: string, field: Field): Column<Readonly<Record<Field, string | number>>> {
  const cell = ({ [field]: text }: Readonly<Record<Field, string | number>>) =>
    text === '' ? 'leave empty' : <Copy text={String(text)} label={`Copy the ${what} ${text}`} />;
  return { header, cell };
}

export interface RecordsProps {
  readonly domains: readonly Domain[];
  readonly title?: string;
  readonly actions?: ReactNode;
}

/** A table of the records for any provider; full names and times to live are collapsed. */
export function Records({ domains, title, actions }: RecordsProps) {
  const records = domains.flatMap((domain) => domain.records);
  const own = title ?? titleFor(records);
  const common = { plain: true, items: records, id: ({ type, name }: Domain['records'][number]) => `${type} ${name}`, empty: 'None.' };
  return (
    <ItemTable
      {...common}
      title={own}
      description={records.some((record) => record.type === 'ALIAS') ? FOR_APEX : FOR_SUBDOMAIN}
      actions={actions}
      columns={[TYPE, copied('Name', 'name', 'label'), copied('Value', 'value', 'value')]}
      footer={
        <Fold title="Full names and TTL">
          <ItemTable
            {...common}
            title={`${own}, in full`}
            columns={[TYPE, copied('Full name', 'name', 'name'), copied('TTL (seconds)', 'TTL', 'ttl')]}
          />
        </Fold>
      }
    />
  );
}

export type Provider = NonNullable<Domain['provider']>;

/** A table of the records as they are entered into the provider's form. */
export function FormRecords({ providers }: { readonly providers: readonly [Provider, ...Provider[]] }) {
  const [{ fields }] = providers;
  const records = providers.flatMap((provider) => provider.records);
  return (
    <ItemTable
      plain
      title={titleFor(records)}
      items={records}
      id={({ type, name, value }) => `${type} ${name} ${value}`}
      columns={[TYPE, copied(fields.name, 'name', 'name'), copied(fields.value, 'value', 'value'), { header: 'TTL', cell: ({ ttl }) => ttl }]}
      empty="None."
    />
  );
}

function titleFor(records: readonly unknown[]): string {
  return records.length === 1 ? 'Record to set' : 'Records to set';
}
