// Published files that visitors request, held in memory. A deployment never changes, so its held files are never outdated. Which deployment a host
// shows is not held here, but read from storage for each request.

import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { ContentEncoding } from '../../core/http/negotiation.ts';
import { type ChosenFile, chooseFile } from '../../core/projects/choose-file.ts';
import { decodedPath } from '../../core/projects/manifest.ts';
import type { DeploymentName, SiteStore } from '../../core/projects/ports.ts';
import { contentTypeOf } from '../sites/content-type.ts';
import { BROTLI_OPTIONS, type KeptForm, type KeptForms } from '../sites/kept-forms.ts';

/** Maximum total size in memory, compressed forms included. */
const HELD_BYTES = 64 * 2 ** 20;
/** Larger files are read from storage for each request. */
const LARGEST_HELD_BYTES = 2 ** 20;
/** Approximate memory for an entry besides its content. */
const ENTRY_BYTES = 2_000;
/** Maximum number of files read into memory at the same time. Beyond that, files are sent from storage. */
const MAX_READING = 16;

/** Types worth compressing: text, formats based on text, and fonts that are not compressed already. */
const COMPRESSIBLE =
  /^(text\/|application\/(json|javascript|xml|rss\+xml|xhtml\+xml|manifest\+json|wasm|ld\+json|vnd\.ms-fontobject)|image\/svg\+xml|font\/(otf|ttf))/;
/** Compressed forms of larger files are kept in the data folder, so that they are not made again when memory has no room for them. */
export const KEPT_FROM_BYTES = 64 * 2 ** 10;
/** Maximum number of small files compressed at the same time. Beyond that, files are sent uncompressed. */
const MAX_COMPRESSIONS = 64;

const brotli = promisify(brotliCompress);
const compress = { br: (content: Buffer) => brotli(content, BROTLI_OPTIONS), gzip: promisify<Buffer, Buffer>(gzip) };

/** The file that answers a path. */
export interface SiteAnswer extends ChosenFile {
  readonly type: string;
  readonly isCompressible: boolean;
  /** The content; undefined if it is read from storage for each request. */
  readonly content: Buffer | undefined;
  /** The content in the encodings that visitors have requested, if it is held. */
  readonly forms: Partial<Record<ContentEncoding, Promise<Form | undefined>>>;
  readonly deployment: DeploymentName;
}

/** A compressed file, in memory or to be read. */
export type Form = Buffer | KeptForm;

export interface HeldFiles {
  /** Returns a deployment's file, without a promise if it is held; undefined if there is none. @param path percent-encoded @throws StoreFault */
  find(deployment: DeploymentName, path: string): SiteAnswer | undefined | Promise<SiteAnswer | undefined>;
  /**
   * Returns an answer's content in an encoding, made once for all requests; kept while the answer is held or, if large, while the deployment exists.
   * @param mayHold whether even a large file's encoding may be held in memory @returns undefined if too many files are being compressed
   */
  form(answer: SiteAnswer, encoding: ContentEncoding, mayHold: boolean): Promise<Form | undefined>;
}

/** Holds the most recently requested files. @param most total bytes */
export function holdFiles(sites: Pick<SiteStore, 'get'>, kept: KeptForms, most: number = HELD_BYTES): HeldFiles {
  /** By deployment and path. The most recently requested answer is last. */
  const held = new Map<string, SiteAnswer>();
  const sizes = new WeakMap<SiteAnswer, number>();
  const reading = new Map<string, Promise<SiteAnswer | undefined>>();
  let total = 0;
  let compressions = 0;

  function get(key: string): SiteAnswer | undefined {
    const answer = held.get(key);
    if (answer !== undefined && held.delete(key)) held.set(key, answer);
    return answer;
  }

  /** Counts the bytes of a held answer, and drops the answers requested longest ago if there is no room. */
  function count(answer: SiteAnswer, bytes: number): void {
    sizes.set(answer, (sizes.get(answer) ?? 0) + bytes);
    total += bytes;
    for (const [key, oldest] of held) {
      if (total <= most) return;
      held.delete(key);
      total -= sizes.get(oldest) ?? 0;
      sizes.delete(oldest);
    }
  }

  /** Reads a file. Only files that exist are held. All paths without a file share one key, that of the page for missing files. */
  async function read(deployment: DeploymentName, path: string, mayHold: boolean): Promise<SiteAnswer | undefined> {
    const chosen = await chooseFile(path, sites, deployment);
    if (chosen === undefined) return undefined;
    const key = keyOf(deployment, chosen.status === 200 ? decodedPath(path) : undefined);
    const known = get(key);
    if (known !== undefined) return known;
    const type = contentTypeOf(chosen.name);
    const content = mayHold && chosen.file.bytes <= LARGEST_HELD_BYTES ? await buffer(chosen.file.read()) : undefined;
    const answer = { ...chosen, type, isCompressible: COMPRESSIBLE.test(type), content, forms: {}, deployment };
    if (content !== undefined && !held.has(key)) {
      held.set(key, answer);
      count(answer, ENTRY_BYTES + content.length);
    }
    return answer;
  }

  async function compressed({ content, file }: SiteAnswer, encoding: ContentEncoding): Promise<Buffer | undefined> {
    if (compressions >= MAX_COMPRESSIONS) return undefined;
    compressions += 1;
    try {
      return await compress[encoding](content ?? (await buffer(file.read())));
    } finally {
      compressions -= 1;
    }
  }

  return {
    find: (deployment, path) => {
      const key = keyOf(deployment, decodedPath(path));
      const known = get(key) ?? reading.get(key);
      if (known !== undefined) return known;
      if (reading.size >= MAX_READING) return read(deployment, path, false);
      const answer = read(deployment, path, true).finally(() => reading.delete(key));
      reading.set(key, answer);
      return answer;
    },
    form: (answer, encoding, mayHold) => {
      const { file, name, content, deployment } = answer;
      const isLarge = file.bytes > KEPT_FROM_BYTES;
      if (isLarge && !mayHold) return kept.open(deployment, name, file, encoding);
      const known = answer.forms[encoding];
      if (known !== undefined) return known;
      const made = isLarge ? kept.open(deployment, name, file, encoding) : compressed(answer, encoding);
      if (content === undefined) return made;
      const form = made.then((each) => (each === undefined || Buffer.isBuffer(each) ? each : buffer(each.read())));
      answer.forms[encoding] = form;
      form.then(
        (each) => {
          if (each === undefined) delete answer.forms[encoding];
          // Unless it was dropped meanwhile.
          else if (sizes.has(answer)) count(answer, each.length);
        },
        () => delete answer.forms[encoding],
      );
      return form;
    },
  };
}

/** Returns a file's key. Different projects and deployments never share one. @param path decoded; undefined for the page for missing files */
function keyOf({ projectId, id }: DeploymentName, path: string | undefined): string {
  return `${projectId}/${id}${path ?? ''}`;
}
