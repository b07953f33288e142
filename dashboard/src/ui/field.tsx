// Form fields: a label, a hint about what to enter, the browser's own control, and the problem with its value.

import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';
import { Icon } from './icon.tsx';

/** Properties that a control gets from the field around it. */
const LabeledContext = createContext<Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'>>({});

export interface LabeledProps {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  /** The problem with the value. */
  readonly error?: ReactNode;
  /** Called when the value changes. */
  readonly edited?: () => void;
  /** One control. */
  readonly children: ReactNode;
}

/** A control with its label. */
export function Labeled({ label, description, error, edited, children }: LabeledProps) {
  const id = useId();
  const hasError = error !== undefined && error !== false;
  const described = [description !== undefined && `${id}-description`, hasError && `${id}-error`].filter((each) => each !== false).join(' ');
  return (
    <div className="field" onChange={edited}>
      <label htmlFor={id}>{label}</label>
      {description !== undefined && (
        <small id={`${id}-description`} className="muted">
          {description}
        </small>
      )}
      <LabeledContext value={{ id, 'aria-describedby': described || undefined, 'aria-invalid': hasError || undefined }}>{children}</LabeledContext>
      {hasError && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="bad" />
          <span>{error}</span>
        </p>
      )}
    </div>
  );
}

type Changed<Element extends 'input' | 'textarea', Value> = Omit<ComponentProps<Element>, 'onChange' | 'value'> & {
  readonly value: Value;
  readonly change: (value: Value) => void;
};

/** A line of text. */
export function Input({ change, ...props }: Changed<'input', string>) {
  return <input {...useContext(LabeledContext)} type="text" autoComplete="off" {...props} onChange={({ target }) => change(target.value)} />;
}

/** Lines of text. */
export function TextArea({ change, ...props }: Changed<'textarea', string>) {
  return <textarea {...useContext(LabeledContext)} {...props} onChange={({ target }) => change(target.value)} />;
}

export interface SelectProps<Value extends string> {
  /** Undefined while nothing is chosen. */
  readonly value: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly change: (value: Value) => void;
  /** Its accessible name, if it is not in a field. */
  readonly label?: string;
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
}

/** A choice from a list. */
export function Select<Value extends string>({ value, options, change, label, placeholder }: SelectProps<Value>) {
  return (
    <select {...useContext(LabeledContext)} aria-label={label} value={value ?? ''} onChange={({ target }) => change(target.value as Value)}>
      {placeholder !== undefined && (
        <option value="" disabled>
          {placeholder}
        </option>
      )}
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

export interface CheckboxProps {
  readonly checked: boolean;
  readonly change: (checked: boolean) => void;
  readonly description?: string;
  readonly children: ReactNode;
}

/** A check box with its label. */
export function Checkbox({ checked, change, description, children }: CheckboxProps) {
  const id = useId();
  return (
    <div className="choice">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={description === undefined ? undefined : `${id}-description`}
        onChange={({ target }) => change(target.checked)}
      />
      <label htmlFor={id}>{children}</label>
      {description !== undefined && (
        <small id={`${id}-description`} className="muted">
          {description}
        </small>
      )}
    </div>
  );
}
