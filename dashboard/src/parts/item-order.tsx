// The order of cards and of stacked rows: what a table's column headers do.

import { useId } from 'react';

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
  const id = useId();
  const options = headers.flatMap((by) => [
    { text: by, order: { by, descending: false } },
    { text: `${by} (descending)`, order: { by, descending: true } },
  ]);
  const current = options.findIndex((option) => option.order.by === order?.by && option.order.descending === order.descending);
  return (
    <div className="order">
      <label htmlFor={id}>Sort by</label>
      <select
        id={id}
        value={current}
        onChange={({ target }) => {
          const chosen = options[Number(target.value)];
          if (chosen !== undefined) choose(chosen.order);
        }}
      >
        <option value={-1} disabled>
          Default order
        </option>
        {options.map(({ text }, index) => (
          <option key={text} value={index}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
