// The rules for a deployment's files, whose names, sizes and digests are announced before they are uploaded. The dashboard applies the same rules
// first, so this file uses only APIs that browsers also have.

import type { DeploymentLimits } from '../access/plans.ts';

/** A file that will be uploaded. */
export interface ManifestFile {
  /** Relative path with `/` between segments. */
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the content, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A deployment's files, in the order of their names. */
export type Manifest = readonly ManifestFile[];

const MEBIBYTE = 2 ** 20;
/** In bytes: the longest name of a file or folder in common file systems (NAME_MAX). */
const MAX_SEGMENT = 255;
const encoder = new TextEncoder();
/** The only folder that begins with a dot and is meant to be public (RFC 8615). */
const WELL_KNOWN = '.well-known';

/** Whether a segment of the name begins with a dot, as in files that tools keep for themselves, often with secrets. */
export function isHiddenFile(name: string): boolean {
  return name.split('/').some((segment) => segment.startsWith('.') && segment !== WELL_KNOWN);
}

/** Checks a deployment's files against the rules for names and the plan's limits. @returns one line per problem: what was given, what is allowed */
export function manifestProblems(files: readonly Pick<ManifestFile, 'name' | 'bytes'>[], limits: DeploymentLimits): readonly string[] {
  if (files.length === 0) return ['nothing to publish; allowed: at least one file, such as index.html'];
  if (files.length > limits.files) return [`${files.length} files; allowed: at most ${limits.files} on this plan`];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    ...files.flatMap((file) => nameProblem(file.name) ?? []),
    ...clashes(files.map(({ name }) => name)),
    ...files
      .filter((file) => file.bytes > limits.fileBytes)
      .map(({ name, bytes: size }) => `${name}: ${mebibytes(size)}; allowed: at most ${mebibytes(limits.fileBytes)} a file`),
    ...(bytes > limits.bytes ? [`${mebibytes(bytes)} in total; allowed: at most ${mebibytes(limits.bytes)} on this plan`] : []),
  ];
}

/** Sorts files by the UTF-8 bytes of their names, which is the order of S3's lists. */
export function sortedManifest(files: readonly ManifestFile[]): Manifest {
  const keyed = files.map((file) => ({ file, key: encoder.encode(file.name) }));
  return keyed.sort((a, b) => compareBytes(a.key, b.key)).map(({ file }) => file);
}

/** Formats a size in MiB, to one decimal place. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

function nameProblem(name: string): string | undefined {
  if (!isSiteFile(name))
    return `${JSON.stringify(name)}: invalid file name; allowed: at most 994 bytes, no control characters or backslashes, nothing empty, . or .. between slashes`;
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (name.split('/').some((segment) => segment.length > MAX_SEGMENT / 3 && encoder.encode(segment).length > MAX_SEGMENT))
    return `${JSON.stringify(name)}: invalid file name; allowed: at most ${MAX_SEGMENT} bytes between slashes`;
  if (isHiddenFile(name)) return `${name}: a hidden file; allowed: no names that begin with a dot, except ${WELL_KNOWN}`;
  return undefined;
}

/** Finds names that occur twice, or that are both a file and a folder. */
function clashes(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set(names.filter((name) => seen.size === seen.add(name).size));
  // Because the separator sorts first, everything in a folder directly follows a file that has the folder's name.
  const sorted = [...seen].map((name) => name.replaceAll('/', '\0')).sort();
  let file: string | undefined;
  const inFile = sorted.filter((name) => {
    if (file !== undefined && name.startsWith(`${file}\0`)) return true;
    file = name;
    return false;
  });
  return [
    ...[...twice].map((name) => `${name}: given twice; allowed: each file once`),
    ...inFile.map((name) => `${name.replaceAll('\0', '/')}: its folder is also the name of a file; allowed: one of the two`),
  ];
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

// Maps a request's path to the files of a deployment that match it.

/**
 * Maximum length of a file name in a deployment, in bytes of UTF-8. S3 allows 1,024 for a key (User Guide, "Naming Amazon S3 objects"), of which the
 * ids of the project and the deployment take 30.
 */
const MAX_BYTES = 994;

/** Whether this is a valid file name in a deployment, without segments such as `..`. */
export function isSiteFile(name: string): boolean {
  if (name === '' || encoder.encode(name).length > MAX_BYTES || /[\0-\x1f\x7f\\]/.test(name) || !name.isWellFormed()) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * Returns the files that may be served, best match first: for `/docs`, they are `docs`, `docs.html` and `docs/index.html`.
 *
 * @param path the request's path, percent-encoded, with its leading slash, without the query
 * @returns an empty list if the path is malformed or leads out of the deployment
 */
export function siteFilesFor(path: string): readonly string[] {
  const decoded = decodedPath(path);
  if (!decoded?.startsWith('/')) return [];
  const name = decoded.slice(1);
  if (name === '') return ['index.html'];
  const folder = name.endsWith('/') ? name : `${name}/`;
  const names = name === folder ? [`${folder}index.html`] : [name, `${name}.html`, `${folder}index.html`];
  return isSiteFile(folder.slice(0, -1)) ? names.filter(isSiteFile) : [];
}

/** Decodes a request's path; returns undefined if it is malformed. */
export function decodedPath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
