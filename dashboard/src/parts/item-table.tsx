// A list of items, as a table or cards, with search, sorting and pages once there are many. On narrow screens, it has stacked rows.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useNarrow } from '../narrow.ts';
import type { More } from '../pages-of.ts';
import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Labeled, Select } from '../ui/field.tsx';
import { Actions, type MenuItem } from '../ui/menu.tsx';
import { type Column, cellOf, ItemRows } from './item-rows.tsx';

/** Rows per page; a table with more rows has a search field. */
const PAGE_SIZE = 20;

export interface ItemTableProps<T> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly items: readonly T[];
  /** For loading further pages of items. @default there are none */
  readonly more?: More | undefined;
  readonly id: (item: T) => string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  /** Actions on an item. @default none */
  readonly menu?: (item: T) => readonly MenuItem[];
  /** The item's name, for the accessible names of its buttons. @default its id */
  readonly nameOf?: (item: T) => string;
  /** Renders an item as a card. The list then has no frame and no heading, because it is the only content of its page. @default as a row */
  readonly card?: (item: T) => ReactNode;
  /** What consecutive items have in common, which is shown once, above them. They keep their order. @default nothing */
  readonly group?: (item: T) => string;
  /** Shown while there are no items. */
  readonly empty: ReactNode;
  /** Shown below the items. */
  readonly footer?: ReactNode;
  /** Whether to omit the count and the search, for a few rows that belong together. @default false */
  readonly plain?: boolean;
}

/** A list with search, sorting and pages. */
export function ItemTable<T>({
  title,
  description,
  actions,
  items,
  more,
  id,
  columns: given,
  menu,
  nameOf = id,
  card,
  group,
  empty,
  footer,
  plain = false,
}: ItemTableProps<T>) {
  const [search, setSearch] = useState('');
  const [order, setOrder] = useState<Order>();
  const [page, setPage] = useState(0);
  const isNarrow = useNarrow();
  const name = title.toLowerCase();
  const actionsOf = (item: T) => <Actions name={nameOf(item)} items={menu?.(item) ?? []} />;
  const hasMenu = items.some((item) => (menu?.(item).length ?? 0) > 0);
  const columns: readonly Column<T>[] = hasMenu ? [...given, { header: 'Actions', isPlain: true, cell: actionsOf }] : given;
  const found = sorted(
    items.filter((item) => matches(columns, item, search.trim().toLowerCase())),
    columns.find(({ header }) => header === order?.by),
    order?.descending ?? false,
  );
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const current = Math.min(page, pages - 1);
  const shown = plain ? found : found.slice(current * PAGE_SIZE, (current + 1) * PAGE_SIZE);
  const count = `${items.length}${more === undefined ? '' : '+'}`;
  const isLong = !plain && items.length > PAGE_SIZE;
  // A search or a sort order applies to all items.
  const choose = (change: () => void) => {
    setPage(0);
    void more?.loadAll();
    change();
  };
  const turn = async (to: number) => {
    if (to === pages) await more?.load();
    setPage(to);
  };
  const orderable = columns.filter((column) => textOf(column) !== undefined && !plain && group === undefined).map(({ header }) => header);
  const sort = (next: Order) => choose(() => setOrder(next));
  const list = useKeptFocus<HTMLDivElement>();
  const content =
    shown.length === 0 ? (
      <div className="empty stack">
        {items.length === 0 ? (
          empty
        ) : (
          <>
            <p>No matches.</p>
            <Button onClick={() => setSearch('')}>Clear search</Button>
          </>
        )}
      </div>
    ) : card !== undefined ? (
      // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers
      <ul className="cards" aria-label={title} role="list">
        {shown.map((item) => (
          <li key={id(item)}>{card(item)}</li>
        ))}
      </ul>
    ) : isNarrow ? (
      groupsOf(shown, group).map(([name, members]) => (
        <div key={name}>
          {name !== '' && <h3 className="group">{name}</h3>}
          <ItemRows title={`${title} ${name}`.trim()} items={members} id={id} columns={columns} stacked={plain} />
        </div>
      ))
    ) : (
      <Rows title={title} groups={groupsOf(shown, group)} id={id} columns={columns} orderable={orderable} order={order} sort={sort} />
    );
  return (
    <Section
      title={
        card === undefined && (
          <>
            {title}
            {!plain && <span className="count"> ({count})</span>}
          </>
        )
      }
      description={description}
      actions={actions}
    >
      {isLong && (
        <div className="row search">
          <input
            type="search"
            aria-label={`Search ${name}`}
            placeholder={`Search ${name}`}
            value={search}
            onChange={({ target }) => choose(() => setSearch(target.value))}
          />
          {search !== '' && <span role="status">{`${found.length} of ${count}`}</span>}
          {(isNarrow || card !== undefined) && orderable.length > 0 && <ItemOrder headers={orderable} order={order} choose={sort} />}
        </div>
      )}
      <div ref={list} tabIndex={-1}>
        {content}
      </div>
      {(isLong || more !== undefined) && (
        <nav className="row pages" aria-label={`Pages of ${name}`}>
          <Button disabled={current === 0} onClick={() => void turn(current - 1)}>
            Previous page
          </Button>
          <span>{`Page ${current + 1} of ${pages}${more === undefined ? '' : '+'}`}</span>
          <Button disabled={current === pages - 1 && more === undefined} onClick={() => void turn(current + 1)}>
            Next page
          </Button>
        </nav>
      )}
      {footer}
    </Section>
  );
}

interface RowsProps<T> extends Pick<ItemTableProps<T>, 'title' | 'id' | 'columns'> {
  readonly groups: readonly Group<T>[];
  /** Headers of the columns that items can be sorted by. */
  readonly orderable: readonly string[];
  readonly order: Order | undefined;
  readonly sort: (order: Order) => void;
}

function Rows<T>({ title, groups, id, columns, orderable, order, sort }: RowsProps<T>) {
  const direction = order?.descending === true ? 'descending' : 'ascending';
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          {columns.map(({ header, isPlain = false }) => (
            <th key={header} scope="col" aria-sort={order?.by === header ? direction : undefined}>
              {isPlain ? (
                <span className="announcement">{header}</span>
              ) : orderable.includes(header) ? (
                <button type="button" onClick={() => sort({ by: header, descending: order?.by === header && !order.descending })}>
                  {header}
                </button>
              ) : (
                header
              )}
            </th>
          ))}
        </tr>
      </thead>
      {groups.map(([name, items]) => (
        <tbody key={name}>
          {name !== '' && (
            <tr>
              <th className="group" scope="rowgroup" colSpan={columns.length}>
                {name}
              </th>
            </tr>
          )}
          {items.map((item) => (
            <tr key={id(item)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.header} scope="row" className={column.isShort ? 'short' : undefined}>
                    {cellOf(column, item)}
                  </th>
                ) : (
                  <td key={column.header} className={column.isShort ? 'short' : undefined}>
                    {cellOf(column, item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** When the item with the focus is gone, the list gets the focus, which would otherwise return to the top of the page. */
function useKeptFocus<Element extends HTMLElement>() {
  const list = useRef<Element>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const { activeElement, body } = document;
    if (hadFocus.current && (activeElement === null || activeElement === body)) list.current?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    const { current } = list;
    const moved = ({ target }: FocusEvent) => {
      // Ignores focus in a dialog, because the element that opened it is in the list.
      if (target instanceof Node && !(target instanceof HTMLElement && target.closest('dialog')))
        hadFocus.current = current?.contains(target) === true;
    };
    document.addEventListener('focusin', moved);
    return () => document.removeEventListener('focusin', moved);
  }, []);
  return list;
}

/** What items have in common (empty if nothing is known), and the items. */
type Group<T> = readonly [name: string, items: readonly T[]];

function groupsOf<T>(items: readonly T[], group: (item: T) => string = () => ''): readonly Group<T>[] {
  // Map.groupBy is not used, because Safari 17.0 and Chrome 114 lack it.
  const names = new Set(items.map(group));
  return [...names].map((name) => [name, items.filter((item) => group(item) === name)]);
}

function textOf<T>({ text, at }: Column<T>): ((item: T) => string) | undefined {
  return text ?? (at && ((item) => at(item) ?? ''));
}

function sorted<T>(items: readonly T[], column: Column<T> | undefined, descending: boolean): readonly T[] {
  const text = column && textOf(column);
  if (text === undefined) return items;
  const direction = descending ? -1 : 1;
  return items.toSorted((a, b) => direction * text(a).localeCompare(text(b), undefined, { numeric: true }));
}

function matches<T>(columns: readonly Column<T>[], item: T, text: string): boolean {
  return text === '' || columns.some((column) => textOf(column)?.(item).toLowerCase().includes(text));
}

interface Order {
  /** The header of the column. */
  readonly by: string;
  readonly descending: boolean;
}

const DESCENDING = ' (descending)';

interface ItemOrderProps {
  readonly headers: readonly string[];
  /** Undefined while the items are in the service's order. */
  readonly order: Order | undefined;
  readonly choose: (order: Order) => void;
}

/** Controls for sorting cards and stacked rows, which replace a table's column headers. */
function ItemOrder({ headers, order, choose }: ItemOrderProps) {
  const options = headers.flatMap((by) => [by, by + DESCENDING]).map((text) => ({ value: text, label: text }));
  return (
    <Labeled label="Sort by">
      <Select
        value={order && `${order.by}${order.descending ? DESCENDING : ''}`}
        options={options}
        placeholder="Default order"
        change={(text) => choose({ by: text.replace(DESCENDING, ''), descending: text.endsWith(DESCENDING) })}
      />
    </Labeled>
  );
}
