// A table of things: sorted by a click on a column, and searched and paged once there are many.

import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';

/** Rows of a page; with more of them there is a search. */
const PAGE_SIZE = 20;

export interface Column<T> {
  readonly header: string;
  readonly cell: (item: T) => ReactNode;
  /** What it is sorted and searched by. @default it is neither */
  readonly text?: (item: T) => string;
}

export interface ItemTableProps<T> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly items: readonly T[];
  readonly id: (item: T) => string;
  /** The first one names the row. */
  readonly columns: readonly Column<T>[];
  /** What to do while there is nothing. */
  readonly empty: ReactNode;
  /** Without a count and a search: a few rows that belong together. @default false */
  readonly plain?: boolean;
}

export function ItemTable<T>({ title, description, actions, items, id, columns, empty, plain = false }: ItemTableProps<T>) {
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
            <Box>None of them matches.</Box>
            <Button onClick={() => collection.actions.setFiltering('')}>Show all</Button>
          </SpaceBetween>
        </Box>
      ),
    },
    sorting: {},
    pagination: { pageSize: PAGE_SIZE },
  });
  const isLong = items.length > PAGE_SIZE;
  return (
    <Table
      {...collection.collectionProps}
      items={collection.items}
      trackBy={id}
      wrapLines
      ariaLabels={{ tableLabel: title }}
      header={
        <Header variant="h2" description={description} actions={actions} {...(!plain && { counter: `(${items.length})` })}>
          {title}
        </Header>
      }
      columnDefinitions={columns.map(({ header, cell, text }, index) => ({
        id: header,
        header,
        cell,
        isRowHeader: index === 0,
        ...(text !== undefined && !plain && { sortingComparator: (a: T, b: T) => text(a).localeCompare(text(b), undefined, { numeric: true }) }),
      }))}
      filter={
        isLong && (
          <TextFilter
            {...collection.filterProps}
            filteringAriaLabel={`Search ${title.toLowerCase()}`}
            filteringPlaceholder={`Search ${title.toLowerCase()}`}
            countText={`${collection.filteredItemsCount} of ${items.length}`}
          />
        )
      }
      pagination={isLong && <Pagination {...collection.paginationProps} />}
    />
  );
}

function matches<T>(columns: readonly Column<T>[], item: T, text: string): boolean {
  return text === '' || columns.some((column) => column.text?.(item).toLowerCase().includes(text));
}
