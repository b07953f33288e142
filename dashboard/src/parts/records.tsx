// The records that a domain needs, each value with a copy button.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Domain } from '../shapes.ts';
import { Copy } from './copy.tsx';
import { ItemTable } from './item-table.tsx';

const FOR_SUBDOMAIN = 'Set this at your DNS provider. It can take up to 48 hours to take effect everywhere.';
const FOR_APEX =
  "A domain without a subdomain needs ALIAS, ANAME or flattening instead of a CNAME. Cloudflare, DNSimple, Netlify, Porkbun and Route 53 support one of them. If your provider doesn't, use a subdomain such as www.";

export interface RecordsProps {
  readonly domain: Domain;
  readonly publish: () => void;
  readonly publishing: boolean;
}

/** A table of a domain's records. */
export function Records({ domain: { records, state }, publish, publishing }: RecordsProps) {
  return (
    <ItemTable
      plain
      title={records.length === 1 ? 'Record to set' : 'Records to set'}
      description={records.some(({ type }) => type === 'ALIAS') ? FOR_APEX : FOR_SUBDOMAIN}
      actions={
        <Button onClick={publish} loading={publishing} disabled={state === 'live' || state === 'removing'}>
          Set up for me
        </Button>
      }
      items={records}
      id={({ type, name }) => `${type} ${name}`}
      columns={[
        { header: 'Type', cell: ({ type }) => type },
        {
          header: 'Name',
          cell: ({ name, label }) => (
            <SpaceBetween size="xxs">
              <Copy text={label} label={`Copy the name ${label}`} />
              {name !== label && (
                <Box variant="small">
                  in full <Copy text={name} label={`Copy the name ${name}`} />
                </Box>
              )}
            </SpaceBetween>
          ),
        },
        { header: 'Value', cell: ({ value }) => <Copy text={value} label={`Copy the value ${value}`} /> },
        { header: 'TTL (seconds)', cell: ({ ttl }) => <Copy text={String(ttl)} label={`Copy the TTL ${ttl}`} /> },
      ]}
      empty="None."
    />
  );
}
