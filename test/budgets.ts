// Limits for sizes: figures that were reached once stay reached. To exceed one, find something that can go, or raise it here, with the reason in the
// commit.

/** The product's source files: folders, without tests. */
export const SOURCES = {
  /** Lines of all files, tests, examples and benchmarks aside. */
  lines: 74_046,
  /** Lines of the median file, at least. */
  medianFile: 90,
  /** The share of files of at most 40 lines. */
  smallFiles: 0.145,
  /** Lines of the longest file. */
  longestFile: 400,
  /** Pairs of folders of which one imports from the other. */
  arrows: 40,
  /** Lines by folder. */
  rooms: {
    adapters: 16_001,
    cli: 4_379,
    client: 1_280,
    core: 12_774,
    dashboard: 8_024,
    functions: 536,
    infra: 5_748,
    local: 2_298,
    package: 525,
    platforms: 6_425,
    reference: 1_058,
    service: 9_035,
    testing: 5_963,
  },
  /** Lines of each folder's median file, at least. */
  medians: {
    adapters: 119,
    cli: 83,
    client: 70,
    core: 86,
    dashboard: 83,
    functions: 32,
    infra: 91,
    local: 98,
    package: 7,
    platforms: 86,
    reference: 91,
    service: 105,
    testing: 103,
  },
} as const;

/** What is in the repository beside the product: source files, and their lines, tests aside. */
export const BESIDE = {
  bench: { sources: 'bench/**/*.ts', lines: 3_097 },
  docs: { sources: 'docs/*.ts', lines: 207 },
  judge: { sources: 'judge/{*,wire/*,rules/*}.ts', lines: 2_750 },
  postgres: { sources: 'postgres/src/*.ts', lines: 3_637 },
  website: { sources: 'website/{*,.vitepress/**/*}.ts', lines: 199 },
} as const;

/** Words of a page of the documents: code and what has no letter or digit aside. */
export const WORDS = {
  page: 1_627,
  /** All documents together, without docs/reference/ and what is generated. */
  all: 40_190,
  /** Pages that are read whole. */
  shorter: {
    'CHANGELOG.md': 900,
    'CONTRIBUTING.md': 1_407,
    'SECURITY.md': 1_390,
    'client/README.md': 545,
    'docs/architecture.md': 1_283,
    'docs/glossary.md': 1_291,
    'judge/README.md': 250,
  },
  /** Each text of docs/decisions/, all of them together, and the one with a line for each dependency. */
  decision: 420,
  decisions: 9_584,
  dependencies: 779,
  /** The README, which is read first. */
  readme: 385,
} as const;

/** Words that docs/glossary.md advises against, in comments and documents of the product: how many lines may be left. Most are in messages. */
export const NOT_USED = { told: 1, stands: 0, goodKey: 0, head: 0, takenDown: 0, looks: 0, way: 0, whoever: 0, soMany: 0, byItself: 0 } as const;

/** Objects that are spread where they are written, `...{ a, b }`, only to have several properties on a line. */
export const SPREAD_LITERALS = 0;

/** `npm ci` of the repository, with what it installs for the client. */
export const INSTALL = { megabytes: 560, packages: 400 } as const;

/** Bytes of the package's tarball. */
export const PACKAGE = { bytes: 3_540_000 } as const;

/** An install of the package to run it, without peers. */
export const RUNTIME_INSTALL = { megabytes: 150, packages: 120 } as const;

/** Bytes of the functions' bundles for Lambda. */
export const BUNDLES = {
  catalogue: 360_810,
  control: 1_268_170,
  'domain-step': 918_670,
  'domain-sweep': 1_112_530,
  'edge-failover': 343_000,
  gate: 451_350,
  notifier: 461_020,
  probe: 53_500,
} as const;

/** Bytes of the client's entries, bundled and compressed with gzip. */
export const CLIENT = { client: 3_650, control: 3_730 } as const;

/** Bytes that the first page of the documents' site transfers, compressed. */
export const WEBSITE = { firstPage: 150_000 } as const;

/** The dashboard's transfers, compressed. */
export const DASHBOARD = {
  signIn: { bytes: 30_000, slow3gMs: 2_500 },
  firstLoad: { bytes: 200_000, requests: 15 },
} as const;
