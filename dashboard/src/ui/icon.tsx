// The icons: lines in the color of the surrounding text. Their meaning is always given in words as well.

const PATHS = {
  bad: 'M12 7v6M12 16.5v.1M8 2.5h8L21.5 8v8L16 21.5H8L2.5 16V8z',
  circle: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16z',
  check: 'M4 12.5 9.5 18 20 7',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  down: 'M6 9.5 12 15.5 18 9.5',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  folder: 'M3 6h6l2 2.5h10V19H3z',
  info: 'M12 11v6M12 7.4v.1M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  more: 'M5 11.5v1M12 11.5v1M19 11.5v1',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.6-3.7 3-5.5 6.5-5.5S14.9 16.3 15.5 20M16 4.5a3.5 3.5 0 0 1 0 6M18.5 15.5c1.5.9 2.5 2.4 3 4.5',
  person: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.4-6 7.5-6s6.9 2 7.5 6',
  stopped: 'M6 12h12M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  warning: 'M12 9v5M12 17.4v.1M12 3.5 22 20.5H2z',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The product's mark: a paw. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M16 15.5c3.8 0 7 3.3 7 6.3 0 2.4-2 3.4-4 2.9-2-.5-4-.5-6 0s-4-.5-4-2.9c0-3 3.2-6.3 7-6.3z" />
      <circle cx="8.7" cy="13.5" r="2.3" />
      <circle cx="13.3" cy="9.3" r="2.5" />
      <circle cx="18.7" cy="9.3" r="2.5" />
      <circle cx="23.3" cy="13.5" r="2.3" />
    </svg>
  );
}
