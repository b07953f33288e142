// A button that opens a list of actions and links: a disclosure, as WAI-ARIA's practices advise for navigation. The browser closes it.

import { type ReactNode, useCallback, useId, useRef } from 'react';
import { useDialogs } from '../context.tsx';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly text: string;
  /** Whether it has the color of actions that can't be undone. @default false */
  readonly risky?: boolean;
  readonly href?: string;
  /** Whether it is the current page. @default false */
  readonly current?: boolean;
  /** For an action on a list item: whether it is a button instead of a menu entry. @default false */
  readonly isMain?: boolean;
  /** @default false */
  readonly disabled?: boolean;
  /** Why it is disabled, shown below it. */
  readonly why?: string;
  /** @default false */
  readonly busy?: boolean;
  readonly run?: () => void;
  /** Opens this dialog instead. */
  readonly dialog?: ReactNode;
}

/** The actions on a list item. A single action is a button, unless it can't be undone. @param name of the item, for screen readers */
export function Actions({ name, items }: { readonly name: string; readonly items: readonly MenuItem[] }) {
  const isShown = ({ isMain = false, risky = false }: MenuItem) => isMain || (items.length === 1 && !risky);
  const rest = items.filter((item) => !isShown(item));
  return (
    <div className="row actions">
      {items.filter(isShown).map(({ text, run, dialog, busy = false }) => (
        <Button key={text} kind="small" label={`${text}: ${name}`} onClick={run} dialog={dialog} busy={busy}>
          {text}
        </Button>
      ))}
      {rest.length > 0 && <Menu label={`Actions for ${name}`} icon="more" items={rest} />}
    </div>
  );
}

export interface MenuProps {
  /** The accessible name of the button. */
  readonly label: string;
  readonly icon: IconName;
  /** @default the icon alone */
  readonly text?: ReactNode;
  readonly items: readonly MenuItem[];
}

/** Distance between the list, its button and the edges of the window, in pixels. */
const GAP = 6;

/** A menu. */
export function Menu({ label, icon, text, items }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const close = useCallback(() => list.current?.hidePopover(), []);
  /** Closes the list when the page scrolls away below it; the list's own content may be scrolled. */
  const scrolled = useCallback(({ target }: Event) => target !== list.current && close(), [close]);
  /** Places the list below the button, or above it if there is no room below, aligned with the button's end. */
  const place = () => {
    if (button.current === null || list.current === null) return;
    const { right, top, bottom } = button.current.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = list.current;
    style.left = `${Math.max(GAP, right - offsetWidth)}px`;
    style.top = `${bottom + GAP + offsetHeight > innerHeight ? Math.max(GAP, top - GAP - offsetHeight) : bottom + GAP}px`;
  };
  const toggled = ({ newState }: { readonly newState: string }) => {
    if (newState === 'open') place();
    const change = newState === 'open' ? addEventListener : removeEventListener;
    change('scroll', scrolled, { capture: true });
  };
  return (
    <>
      <button ref={button} type="button" className="button plain" popoverTarget={id} aria-label={label}>
        <Icon name={icon} />
        {text !== undefined && <span>{text}</span>}
        {text !== undefined && <Icon name="down" />}
      </button>
      <ul ref={list} id={id} popover="auto" className="menu" onToggle={toggled}>
        {items.map((item) => (
          <li key={item.href ?? item.text}>
            <Item {...item} close={close} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Item({ text, href, current = false, disabled = false, why, risky = false, run, dialog, close }: MenuItem & { readonly close: () => void }) {
  const { open } = useDialogs();
  if (href !== undefined)
    return (
      <a href={href} aria-current={current || undefined} onClick={close}>
        {text}
      </a>
    );
  const click = () => {
    // Done first, so that a dialog that opens next returns the focus to the menu's button.
    close();
    if (dialog !== undefined) open(dialog);
    else run?.();
  };
  return (
    <button type="button" className={risky ? 'error' : undefined} aria-disabled={disabled || undefined} onClick={disabled ? undefined : click}>
      {text}
      {disabled && <small>{why}</small>}
    </button>
  );
}
