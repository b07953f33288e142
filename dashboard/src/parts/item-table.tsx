// A table of items: sortable by column, with search and pages once there are many. On narrow screens, stacked rows.

import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';
import { useNarrow } from '../narrow.ts';
import type { More } from '../pages-of.ts';
import { ItemOrder } from './item-order.tsx';
import { type Column, cellOf, ItemRows } from './item-rows.tsx';

/** Rows per page; a table with more rows has a search field. */
const PAGE_SIZE = 20;

export interface ItemTableProps<T> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly items: readonly T[];
  /** Pages of items that are not read yet. @default none */
  readonly more?: More | undefined;
  readonly id: (item: T) => string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  /** Shown while there are no items. */
  readonly empty: ReactNode;
  /** Whether to omit count and search, for a few rows that belong together. @default false */
  readonly plain?: boolean;
}

/** A table with search, sorting and pages. */
export function ItemTable<T>({ title, description, actions, items, more, id, columns, empty, plain = false }: ItemTableProps<T>) {
  const collection = useCollection(items, {
    filtering: {
      filteringFunction: (item, text) => matches(columns, item, text.trim().toLowerCase()),
      empty: (
        <Box textAlign="center">
          <SpaceBetween size="s">{empty}</SpaceBetween>
        </Box>
      ),
      noMatch: (
        <Box textAlign="center">
          <SpaceBetween size="s">
            <Box>No matches.</Box>
            <Button onClick={() => collection.actions.setFiltering('')}>Show all</Button>
          </SpaceBetween>
        </Box>
      ),
    },
    sorting: {},
    pagination: { pageSize: PAGE_SIZE },
  });
  const isNarrow = useNarrow();
  const isLong = items.length > PAGE_SIZE;
  const heading = (
    <Header variant="h2" description={description} actions={actions} {...(!plain && { counter: `(${countOf(items, more)})` })}>
      {title}
    </Header>
  );
  const search = isLong && (
    <TextFilter
      {...collection.filterProps}
      filteringAriaLabel={`Search ${title.toLowerCase()}`}
      filteringPlaceholder={`Search ${title.toLowerCase()}`}
      countText={`${collection.filteredItemsCount} of ${countOf(items, more)}`}
      onChange={(event) => {
        void more?.loadAll();
        collection.filterProps.onChange(event);
      }}
    />
  );
  const pages = isLong && (
    <Pagination
      {...collection.paginationProps}
      openEnd={more !== undefined}
      onNextPageClick={({ detail }) => {
        if (!detail.requestedPageAvailable) void more?.load().then(() => collection.actions.setCurrentPage(detail.requestedPageIndex));
      }}
    />
  );
  const definitions = columns.map((column, index) => ({
    id: column.header,
    header: column.header,
    cell: (item: T) => cellOf(column, item),
    isRowHeader: index === 0,
    ...(!plain && sortingOf(column)),
  }));
  if (!isNarrow)
    return (
      <Table
        {...collection.collectionProps}
        onSortingChange={(event) => {
          void more?.loadAll();
          collection.collectionProps.onSortingChange?.(event);
        }}
        items={collection.items}
        trackBy={id}
        wrapLines
        ariaLabels={{ tableLabel: title }}
        header={heading}
        columnDefinitions={definitions}
        filter={search}
        pagination={pages}
      />
    );
  const { sortingColumn, sortingDescending = false, empty: none } = collection.collectionProps;
  return (
    <Container header={heading}>
      <SpaceBetween size="m">
        {search}
        {isLong && (
          <ItemOrder
            headers={columns.filter(({ text }) => text !== undefined).map(({ header }) => header)}
            order={sortingColumn?.sortingField === undefined ? undefined : { by: sortingColumn.sortingField, descending: sortingDescending }}
            choose={({ by, descending }) => {
              const chosen = definitions.find(({ id: header }) => header === by);
              void more?.loadAll();
              if (chosen !== undefined) collection.actions.setSorting({ sortingColumn: chosen, isDescending: descending });
            }}
          />
        )}
        {collection.items.length === 0 ? none : <ItemRows title={title} items={collection.items} id={id} columns={columns} />}
        {pages}
      </SpaceBetween>
    </Container>
  );
}

function countOf(items: readonly unknown[], more: More | undefined): string {
  return more === undefined ? String(items.length) : `${items.length}+`;
}

/** The comparator is a new function each time: the field identifies the column that is sorted. */
function sortingOf<T>({ header, text }: Column<T>): { readonly sortingField?: string; readonly sortingComparator?: (a: T, b: T) => number } {
  if (text === undefined) return {};
  return { sortingField: header, sortingComparator: (a: T, b: T) => text(a).localeCompare(text(b), undefined, { numeric: true }) };
}

function matches<T>(columns: readonly Column<T>[], item: T, text: string): boolean {
  return text === '' || columns.some((column) => column.text?.(item).toLowerCase().includes(text));
}
