// The blocks that pages are made of: sections, notices, facts, states.

import { type ReactNode, useEffect, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface SectionProps {
  /** @default none */
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A part of a page, with a heading. */
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <section className="card">
      {title !== undefined && title !== false && (
        <header>
          <div>
            <h2>{title}</h2>
            {description !== undefined && description !== '' && <p className="muted">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

export type Kind = 'info' | 'success' | 'warning' | 'error';

const ICONS: Readonly<Record<Kind | 'stopped' | 'pending', IconName>> = {
  info: 'info',
  success: 'check',
  warning: 'warning',
  error: 'bad',
  stopped: 'stopped',
  pending: 'circle',
};

export interface NoticeProps {
  readonly kind: Kind;
  readonly title?: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** Something that the user should know, in addition to the text. */
export function Notice({ kind, title, action, children }: NoticeProps) {
  return (
    <div className={`notice ${kind}`}>
      <Icon name={ICONS[kind]} />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        <div>{children}</div>
      </div>
      {action}
    </div>
  );
}

/** A state in words, with a color and an icon. */
export function Status({ kind, children }: { readonly kind: Kind | 'stopped' | 'pending' | 'in-progress'; readonly children: ReactNode }) {
  return (
    <span className={`status ${kind}`}>
      {kind === 'in-progress' ? <span className="spinner" /> : <Icon name={ICONS[kind]} />}
      <span>{children}</span>
    </span>
  );
}

/** Values with their labels. */
export function Facts({ items }: { readonly items: readonly { readonly label: string; readonly value: ReactNode }[] }) {
  return (
    <dl className="facts">
      {items.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Collapsible content. */
export function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className="fold">
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Content that screen readers announce as soon as it appears. */
export function Announced({ children }: { readonly children: ReactNode }) {
  // Screen readers announce content added to a region, but not a new region.
  const [isRegionThere, setRegionThere] = useState(false);
  useEffect(() => setRegionThere(true), []);
  return <div role="status">{isRegionThere && children}</div>;
}
