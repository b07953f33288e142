// Limits for sizes: figures that were reached once stay reached. To exceed one, find something that can go, or raise it here, with the reason in the
// commit.

/** The product's source files: folders, without tests. */
export const SOURCES = {
  /** Lines of all files, tests, examples and benchmarks aside. */
  lines: 73_801,
  /** Lines of the median file, at least. */
  medianFile: 71,
  /** The share of files of at most 40 lines. */
  smallFiles: 0.24,
  /** Lines of the longest file. */
  longestFile: 400,
  /** Pairs of folders of which one imports from the other. */
  arrows: 40,
  /** Lines by folder. */
  rooms: {
    adapters: 16_126,
    cli: 4_286,
    client: 1_303,
    core: 12_865,
    dashboard: 8_387,
    functions: 553,
    infra: 5_942,
    local: 2_164,
    package: 405,
    platforms: 5_787,
    reference: 1_040,
    service: 9_444,
    testing: 5_499,
  },
} as const;

/** The judge of AWS emulators: lines without tests and data, and words of its README. */
export const JUDGE = { lines: 2_750, readme: 250 } as const;

/** Words of a page of the documents, code aside. */
export const WORDS = {
  page: 2_600,
  /** Pages that were longer before there was a limit. */
  longer: { 'docs/operations.md': 10_821, 'docs/server.md': 7_450, 'docs/api.md': 2_940, 'docs/control-api.md': 3_086 },
  /** The README, which is read first. */
  readme: 570,
} as const;

/** Words that docs/glossary.md advises against, in comments and documents of the product: how many lines may be left. Most are in messages. */
export const NOT_USED = { told: 1, stands: 0, goodKey: 0, takenDown: 0, looks: 0, whoever: 0, soMany: 0, byItself: 0 } as const;

/** Objects that are spread where they are written, `...{ a, b }`, only to have several properties on a line. */
export const SPREAD_LITERALS = 0;

/** `npm ci` of the repository, with what it installs for the client. */
export const INSTALL = { megabytes: 560, packages: 400 } as const;

/** An install of the package to run it, without peers. */
export const RUNTIME_INSTALL = { megabytes: 150, packages: 120 } as const;

/** Bytes of the functions' bundles for Lambda. */
export const BUNDLES = {
  catalogue: 361_937,
  control: 1_266_381,
  'domain-step': 917_419,
  'domain-sweep': 1_110_800,
  'edge-failover': 343_000,
  gate: 454_000,
  notifier: 458_460,
  probe: 53_500,
} as const;

/** The dashboard's transfers, compressed. */
export const DASHBOARD = {
  signIn: { bytes: 30_000, slow3gMs: 2_500 },
  firstLoad: { bytes: 200_000, requests: 15 },
} as const;
