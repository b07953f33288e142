// Why a form was refused, at the fields with problems or in an alert. The focus moves to the first of these fields, or to the alert.

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { troubleOf } from '../../../core/http/api-error.ts';
import { changeFailureText, type Problem, problemsOf } from '../failures.ts';
import { Notice } from '../ui/blocks.tsx';
import { Labeled, type LabeledProps } from '../ui/field.tsx';
import { Breakable } from './text.tsx';

interface Fields {
  readonly failure: Error | null;
  readonly problems: readonly Problem[];
  /** Adds fields that show their problems. @returns a function that removes them */
  readonly add: (names: readonly string[]) => () => void;
}

const FieldsContext = createContext<Fields | undefined>(undefined);

export interface RefusalProps {
  /** Why the last change was refused or failed; null if it succeeded. */
  readonly failure: Error | null;
  /** The title of the alert. @default none */
  readonly header?: string;
  readonly children: ReactNode;
}

/** Shows a failure within the form that caused it. */
export function Refusal({ failure, header, children }: RefusalProps) {
  const root = useRef<HTMLDivElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [problems, others] = useMemo(() => sorted(failure, names), [failure, names]);
  const add = useCallback((added: readonly string[]) => {
    setNames((all) => [...all, ...added]);
    return () => setNames((all) => all.filter((name) => !added.includes(name)));
  }, []);
  const fields = useMemo(() => ({ failure, problems, add }), [failure, problems, add]);
  useEffect(() => {
    if (failure === null) return;
    const place = root.current?.querySelector('[aria-invalid="true"]') ?? root.current?.querySelector('.refusal');
    if (place instanceof HTMLElement) place.focus();
  }, [failure]);
  return (
    <FieldsContext.Provider value={fields}>
      <div ref={root}>
        <div className="stack">
          {children}
          {others.length > 0 && (
            <div className="refusal" role="alert" tabIndex={-1}>
              <Notice kind="error" title={header}>
                {others.map((text) => (
                  <div key={text}>
                    <Breakable text={text} />
                  </div>
                ))}
              </Notice>
            </div>
          )}
        </div>
      </div>
    </FieldsContext.Provider>
  );
}

/** Separates field problems from other problems. */
function sorted(failure: Error | null, names: readonly string[]): readonly [readonly Problem[], readonly string[]] {
  if (failure === null) return [[], []];
  if (troubleOf(failure) !== undefined) return [[], [changeFailureText(failure)]];
  const problems = problemsOf(failure);
  const isShown = ({ field }: Problem) => field !== undefined && names.includes(field);
  return [problems.filter(isShown), problems.filter((problem) => !isShown(problem)).map(({ text }) => text)];
}

/** Registers fields with the form around them. @returns a function that returns the problem with a field, if any, by its name */
export function useProblems(...names: readonly string[]): (name: string) => string | undefined {
  const { problems = [], add } = useContext(FieldsContext) ?? {};
  const all = names.join('\n');
  useEffect(() => add?.(all.split('\n')), [add, all]);
  return (name) =>
    problems
      .filter(({ field }) => field === name)
      .map(({ text }) => text)
      .join(' ') || undefined;
}

/** A form field, which shows its problem until its value changes. @param name as in the API's messages. @default none: no message is about it */
export function Field({ name = '', error, ...props }: Omit<LabeledProps, 'edited'> & { readonly name?: string }) {
  const problem = useProblems(name)(name);
  const failure = useContext(FieldsContext)?.failure;
  const [answered, setAnswered] = useState<Error | null>();
  const isShown = problem !== undefined && failure !== answered;
  return <Labeled {...props} edited={() => setAnswered(failure)} error={isShown ? <Breakable text={problem} /> : error} />;
}
