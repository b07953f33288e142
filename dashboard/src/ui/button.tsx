// Buttons, and links that look like buttons.

import { type MouseEvent, type ReactNode, useId } from 'react';
import { useDialogs } from '../context.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  /**
   * `small`: in a row of a list. `link`: in a sentence. `ends`: opens a dialog for an action that can't be undone. `danger`: performs it, in that dialog.
   * @default an ordinary button
   */
  readonly kind?: 'primary' | 'ends' | 'danger' | 'small' | 'link';
  /** The accessible name, which starts with the visible text. @default the visible text */
  readonly label?: string;
  readonly icon?: IconName;
  readonly href?: string;
  /** Whether the link opens a new tab. @default false */
  readonly newTab?: boolean;
  /** Whether it submits the surrounding form; a string: the form with this id. @default false */
  readonly submit?: boolean | string;
  /** Whether its action is in progress. If so, it keeps the focus, but does nothing. @default false */
  readonly busy?: boolean;
  /** @default false */
  readonly disabled?: boolean;
  /** Why it is disabled, shown while it has the focus or the pointer. @default none: it can't get the focus */
  readonly why?: string;
  readonly onClick?: (() => void) | undefined;
  /** Opens this dialog instead. */
  readonly dialog?: ReactNode;
  readonly children: ReactNode;
}

/** A button. */
export function Button({
  kind,
  label,
  icon,
  href,
  newTab = false,
  submit = false,
  busy = false,
  disabled = false,
  why,
  dialog,
  onClick,
  children,
}: ButtonProps) {
  const reason = useId();
  const { open } = useDialogs();
  const content = (
    <>
      {busy ? <span className="spinner" /> : icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </>
  );
  const looks = { className: `button ${kind ?? ''}`, 'aria-label': label };
  if (href !== undefined)
    return (
      <a {...looks} href={href} {...(newTab && { target: '_blank', rel: 'noreferrer' })}>
        {content}
      </a>
    );
  const isExplained = disabled && why !== undefined;
  const isOff = busy || disabled;
  const click = (event: MouseEvent) => {
    if (isOff) event.preventDefault();
    else if (dialog !== undefined) open(dialog);
    else onClick?.();
  };
  const button = (
    <button
      {...looks}
      type={submit === false ? 'button' : 'submit'}
      {...(typeof submit === 'string' && { form: submit })}
      disabled={disabled && !isExplained}
      aria-disabled={busy || isExplained || undefined}
      aria-busy={busy || undefined}
      aria-describedby={isExplained ? reason : undefined}
      onClick={click}
    >
      {content}
    </button>
  );
  if (!isExplained) return button;
  return (
    <span className="explained">
      {button}
      <span id={reason} role="tooltip">
        {why}
      </span>
    </span>
  );
}

/** A link to another site, in a new tab. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon name="external" />
    </a>
  );
}
