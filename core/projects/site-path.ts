// Maps a request's path to the files of a deployment that may answer it.

/**
 * Maximum length of a file name in a deployment, in bytes of UTF-8. File names are relative, with `/` between segments. S3 allows 1,024 for a key
 * (User Guide, "Naming Amazon S3 objects"), of which the ids of project and deployment take 30.
 */
const MAX_BYTES = 994;

const encoder = new TextEncoder();

/** Whether this is a valid file name in a deployment: no segment leads elsewhere. */
export function isSiteFile(name: string): boolean {
  if (name === '' || encoder.encode(name).length > MAX_BYTES || /[\0-\x1f\x7f\\]/.test(name) || !name.isWellFormed()) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * The files that may answer, best match first: `/docs` is `docs`, `docs.html` or `docs/index.html`.
 *
 * @param path of the request, percent-encoded, with its leading slash, without query
 * @returns an empty list if the path is malformed or leads out of the deployment
 */
export function siteFilesFor(path: string): readonly string[] {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return [];
  }
  if (!decoded.startsWith('/')) return [];
  const name = decoded.slice(1);
  if (name === '') return ['index.html'];
  const folder = name.endsWith('/') ? name : `${name}/`;
  const names = name === folder ? [`${folder}index.html`] : [name, `${name}.html`, `${folder}index.html`];
  return isSiteFile(folder.slice(0, -1)) ? names.filter(isSiteFile) : [];
}
