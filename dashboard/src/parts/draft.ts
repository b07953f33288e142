// What is typed into a form that may need a new sign-in first: it outlives leaving the page for that.

import { useEffect, useState } from 'react';

/** State that this tab keeps until the form closes. @param field its name, for one form of a page */
export function useDraft<T>(field: string, initial: T): [T, (value: T) => void] {
  const key = `petstore.draft:${location.pathname}:${field}`;
  const [value, setValue] = useState<T>(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? initial);
  useEffect(() => () => sessionStorage.removeItem(key), [key]);
  const change = (next: T) => {
    sessionStorage.setItem(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, change];
}
