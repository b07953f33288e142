// The order of cards and of stacked rows: what a table's column headers do.

import { Labeled, Select } from '../ui/field.tsx';

export interface Order {
  /** The header of the column. */
  readonly by: string;
  readonly descending: boolean;
}

export interface ItemOrderProps {
  /** Headers of the columns that items can be sorted by. */
  readonly headers: readonly string[];
  /** Undefined while the items are in the order of the service. */
  readonly order: Order | undefined;
  readonly choose: (order: Order) => void;
}

/** A field to choose the order of items. */
export function ItemOrder({ headers, order, choose }: ItemOrderProps) {
  const textOf = ({ by, descending }: Order) => (descending ? `${by} (descending)` : by);
  const orders = new Map(headers.flatMap((by) => [false, true].map((descending) => [textOf({ by, descending }), { by, descending }] as const)));
  return (
    <Labeled label="Sort by">
      <Select
        value={order && textOf(order)}
        options={[...orders.keys()].map((text) => ({ value: text, label: text }))}
        placeholder="Default order"
        change={(text) => {
          const chosen = orders.get(text);
          if (chosen !== undefined) choose(chosen);
        }}
      />
    </Labeled>
  );
}
