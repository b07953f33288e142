// A stage's bill for a month: from its usage to rows. On-demand prices, first volume tier, nothing free taken off.

import { catalogueLines, type Line } from './catalogue-lines.ts';
import { dashboardLines } from './dashboard-lines.ts';
import { domainLines } from './domain-lines.ts';
import { fixedLines } from './fixed-lines.ts';
import { PRICES, PRICES_OF, type PriceName } from './prices.ts';
import type { Usage } from './usage.ts';

export type Section = 'fixed' | 'catalogue' | 'domains' | 'dashboard';

export interface Row {
  readonly section: Section;
  readonly what: string;
  /** The price in prices.ts. */
  readonly price: PriceName;
  /** In units. */
  readonly quantity: number;
  readonly unit: string;
  /** US dollars. */
  readonly unitPrice: number;
  /** US dollars. */
  readonly cost: number;
}

export interface Bill {
  readonly date: string;
  readonly region: string;
  readonly currency: string;
  readonly rows: readonly Row[];
  /** US dollars. */
  readonly total: number;
}

/** Returns the bill for a month of 730 hours. */
export function billOf(usage: Usage): Bill {
  const none: readonly Line[] = [];
  const sections: Readonly<Record<Section, readonly Line[]>> = {
    fixed: fixedLines(usage),
    catalogue: catalogueLines(usage),
    domains: usage.edge ? domainLines(usage) : none,
    dashboard: usage.edge ? dashboardLines(usage) : none,
  };
  const rows = (Object.entries(sections) as [Section, readonly Line[]][]).flatMap(([section, lines]) =>
    lines.filter(({ quantity }) => quantity > 0).map((line) => rowOf(section, line)),
  );
  return { ...PRICES_OF, rows, total: rows.reduce((sum, { cost }) => sum + cost, 0) };
}

function rowOf(section: Section, { what, price, quantity }: Line): Row {
  const { unit, usd } = PRICES[price];
  return { section, what, price, quantity, unit, unitPrice: usd, cost: quantity * usd };
}

/** What the bill leaves out, and why. */
export const NOT_INCLUDED: readonly string[] = [
  'free amounts: they are for the whole AWS account (10,000 Cognito users, 1 TB and 10 million requests of CloudFront, a million calls of Lambda, …)',
  'volume tiers: the first tier is the most expensive, so a large bill is lower',
  'tax, AWS Support, reservations and savings plans',
  "hosted zones in Route 53 ($0.50 a month each), which are yours and not the stage's",
  'data transfer between regions, backups beyond point-in-time recovery, and queries of logs and traces',
  "emails to the dashboard's users through Amazon SES ($0.10 per thousand)",
  'storage of deployed templates and bundles (the bucket of `cdk bootstrap`), a few cents',
];
