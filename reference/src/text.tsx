// Renders the document's descriptions: paragraphs and `code`, the only Markdown that they use.

import { useCopy } from '../../dashboard/src/ui/copy.ts';

/** Shorter code is not divided, because it fits on any line. */
const MAX_UNDIVIDED_LENGTH = 16;

/** Code whose lines may end after words, parts of a path, or parts of a pattern, but not within them. */
export function Code({ text }: { readonly text: string }) {
  if (text.length <= MAX_UNDIVIDED_LENGTH) return text;
  return text.split(/(?<=[|/)\]} ])(?![{?*+$)\]}]|$)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <span key={index} className="part">
      {part}
    </span>
  ));
}

/** Text with its code spans. */
export function Inline({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <code key={index}>
        <Code text={part} />
      </code>
    ) : (
      part
    ),
  );
}

/** Text whose paragraphs are separated by empty lines. */
export function Paragraphs({ text }: { readonly text: string }) {
  return text.split('\n\n').map((paragraph) => (
    <p key={paragraph}>
      <Inline text={paragraph} />
    </p>
  ));
}

// Text to be copied. It may be wider than its box, which is focusable so that it can be scrolled.

/** @param label names the box; its button's label is Copy and this name @param language shown above the text */
export function Copied({ label, language, text }: { readonly label: string; readonly language: string; readonly text: string }) {
  const { copy, outcome } = useCopy(text);
  return (
    <div className="copied">
      <header>
        <small>{language}</small>
        <span role="status">{outcome}</span>
        <button type="button" aria-label={`Copy: ${label}`} onClick={copy}>
          Copy
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus (WCAG 2.1.1) */}
      <section aria-label={label} className="code" tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
