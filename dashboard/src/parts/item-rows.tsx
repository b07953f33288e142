// Items on a narrow screen: instead of a table, a block for each item, with its name, its actions, and a label beside each value.

import type { ReactNode } from 'react';
import { Ago, Breakable } from './text.tsx';

export interface Column<T> {
  readonly header: string;
  /** Returns text or elements, or an empty value such as `false`. @default the time, or the text */
  readonly cell?: (item: T) => ReactNode;
  /** Returns a time in ISO 8601, by which items are sorted. */
  readonly at?: (item: T) => string | null | undefined;
  /** Whether the time may be in the future. @default false */
  readonly isAhead?: boolean;
  /** Whether the column's cells contain the item's actions, and therefore need no label. @default false */
  readonly isPlain?: boolean;
  /** Whether the column is only as wide as its cells, which wrap only if there is not enough room. @default false */
  readonly isShort?: boolean;
  /** Returns the value for sorting and searching. @default the time; without one, the column supports neither */
  readonly text?: (item: T) => string;
}

export interface ItemRowsProps<T> {
  /** Whether values are long. If so, each has its label above it, even in the first column. @default false */
  readonly stacked?: boolean;
  readonly title: string;
  readonly items: readonly T[];
  readonly id: (item: T) => string;
  readonly columns: readonly Column<T>[];
}

/** Returns a cell's content, with line breaks allowed within host names. */
export function cellOf<T>({ cell, at, isAhead = false, text }: Column<T>, item: T): ReactNode {
  const time = at?.(item);
  const content = cell === undefined ? time ? <Ago at={time} isAhead={isAhead} /> : text?.(item) : cell(item);
  return typeof content === 'string' ? content !== '' && <Breakable text={content} /> : content;
}

/** A list of items, each with the values of its columns; columns without a value are left out. */
export function ItemRows<T>({ title, items, id, columns, stacked = false }: ItemRowsProps<T>) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers
    <ul className={stacked ? 'rows stacked' : 'rows'} aria-label={title} role="list">
      {items.map((item) => (
        <li key={id(item)}>
          {!stacked && (
            <header>
              {columns
                .filter(({ isPlain }, index) => index === 0 || isPlain === true)
                .map((column) => (
                  <div key={column.header}>{cellOf(column, item)}</div>
                ))}
            </header>
          )}
          <dl>
            {columns.slice(stacked ? 0 : 1).map((column) => {
              if (column.isPlain === true) return null;
              const content = cellOf(column, item);
              if (content === undefined || content === null || content === false) return null;
              return (
                <div key={column.header}>
                  <dt>{column.header}</dt>
                  <dd>{content}</dd>
                </div>
              );
            })}
          </dl>
        </li>
      ))}
    </ul>
  );
}
