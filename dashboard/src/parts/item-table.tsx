// A table of items: sortable by column, with search and pages once there are many.

import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';

/** Rows per page; a table with more rows has a search field. */
const PAGE_SIZE = 20;

export interface Column<T> {
  readonly header: string;
  readonly cell: (item: T) => ReactNode;
  /** The value for sorting and searching. @default the column supports neither */
  readonly text?: (item: T) => string;
}

export interface ItemTableProps<T> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly items: readonly T[];
  readonly id: (item: T) => string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  /** Shown while there are no items. */
  readonly empty: ReactNode;
  /** Whether to omit count and search, for a few rows that belong together. @default false */
  readonly plain?: boolean;
}

/** A table with search, sorting and pages. */
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
            <Box>No matches.</Box>
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
