// Detects names that are meant to be mistaken for others: labels that mix scripts, and labels made only of Cyrillic or Greek letters that look Latin
// (Unicode Technical Standard 39, "Highly Restrictive", and additional checks that browsers make).

const SCRIPTS = [
  ...([
    'Latin',
    'Cyrillic',
    'Greek',
    'Armenian',
    'Georgian',
    'Hebrew',
    'Arabic',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Tamil',
    'Telugu',
    'Kannada',
  ] as const),
  ...([
    'Malayalam',
    'Sinhala',
    'Thai',
    'Lao',
    'Khmer',
    'Myanmar',
    'Tibetan',
    'Ethiopic',
    'Cherokee',
    'Mongolian',
    'Han',
    'Hiragana',
    'Katakana',
    'Hangul',
    'Bopomofo',
  ] as const),
];

type Script = (typeof SCRIPTS)[number];

const PATTERNS = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const);
const NEUTRAL = /[\p{Script=Common}\p{Script=Inherited}]/u;

const TOGETHER: readonly (readonly Script[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const LOOKS_LATIN = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡмнткв0-9-]+$|^[αικνορτυχγηω0-9-]+$/u;

/** @param name in Unicode, lower case */
export function isLookalike(name: string): boolean {
  const labels = name.split('.');
  const suffix = labels.at(-1) ?? '';
  return labels.some((label) => {
    if (/^[\x20-\x7e]*$/.test(label)) return false;
    const scripts = scriptsOf(label);
    if (scripts === undefined) return true;
    if (scripts.length > 1 && !TOGETHER.some((set) => scripts.every((script) => set.includes(script)))) return true;
    // Only a suffix in ASCII makes such a label suspicious: with another suffix, the label is an ordinary word.
    return LOOKS_LATIN.test(label) && !/[^\x20-\x7e]/.test(suffix);
  });
}

/** Returns the scripts that a label uses; undefined if a letter is from a script that is not accepted in names. */
function scriptsOf(label: string): readonly Script[] | undefined {
  const found = new Set<Script>();
  for (const letter of label) {
    const [script] = PATTERNS.find(([, pattern]) => pattern.test(letter)) ?? [];
    if (script !== undefined) found.add(script);
    else if (!NEUTRAL.test(letter)) return undefined;
  }
  return [...found];
}
