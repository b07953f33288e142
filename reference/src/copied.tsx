// Text to be copied. It may be wider than its box, which takes the keyboard's focus, so that it can be scrolled.

import { useCopy } from '../../dashboard/src/ui/copy.ts';

/** @param label of the box, and of its button after the word Copy */
export function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  const { copy, outcome } = useCopy(text);
  return (
    <div className="copied">
      <button type="button" aria-label={`Copy: ${label}`} onClick={copy}>
        Copy
      </button>
      <span role="status">{outcome}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus (WCAG 2.1.1) */}
      <section aria-label={label} className="code" tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
