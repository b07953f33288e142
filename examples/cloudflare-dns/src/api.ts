// The part of Cloudflare's API that is needed here (https://developers.cloudflare.com/api/resources/dns/subresources/records/).

/** A record as the API describes it. */
export interface ZoneRecord {
  readonly id: string;
  readonly type: string;
  /** In lower case and ASCII. */
  readonly name: string;
  /** In a TXT record, the text is in quotation marks. */
  readonly content: string;
}

export interface NewRecord extends Omit<ZoneRecord, 'id'> {
  /** Seconds, 60 to 86,400. */
  readonly ttl: number;
  readonly proxied?: boolean;
}

/** Changes that are made together or not at all. */
export interface Changes {
  readonly posts?: readonly NewRecord[];
  readonly deletes?: readonly { readonly id: string }[];
}

export interface CloudflareApi {
  /** Returns a zone's id. @throws CloudflareError if the token's owner does not have the zone */
  zoneId(name: string): Promise<string>;
  /** All records with a name. */
  recordsAt(zoneId: string, name: string): Promise<readonly ZoneRecord[]>;
  /** Makes all of the changes, deletions first, or none if it rejects. @throws CloudflareError */
  change(zoneId: string, changes: Changes): Promise<void>;
}

/** The API refused a request, or did not answer. */
export class CloudflareError extends Error {
  override readonly name = 'CloudflareError';
  /** The API's own codes; empty if it did not answer. */
  readonly codes: readonly number[];

  constructor(message: string, codes: readonly number[] = [], options?: ErrorOptions) {
    super(message, options);
    this.codes = codes;
  }
}

/** Longer than the API takes, and shorter than a step of the domain workflow may take. */
const TIMEOUT_MS = 10_000;
/** The largest page that the API documents for any list. */
const PER_PAGE = 50;

interface Envelope {
  readonly success?: boolean;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
  readonly result?: unknown;
  readonly result_info?: { readonly total_pages?: number };
}

/** Creates a client. @param url without a trailing slash */
export function createApi(url: string, token: string): CloudflareApi {
  async function call(method: string, path: string, body?: object): Promise<Envelope> {
    const what = `Cloudflare: ${method} ${path.split('?')[0]}`;
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    let status: number;
    let envelope: Envelope;
    try {
      const response = await fetch(url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      status = response.status;
      // A proxy in between may answer with something else.
      envelope = (await response.json().catch(() => ({}))) as Envelope;
    } catch (error) {
      throw new CloudflareError(`${what}: ${error instanceof Error ? error.message : error}`, [], { cause: error });
    }
    if (status === 200 && envelope.success === true) return envelope;
    const errors = envelope.errors ?? [];
    const reason = errors.map(({ code, message }) => `${message} (${code})`).join(', ');
    throw new CloudflareError(
      `${what}: HTTP ${status}${reason === '' ? '' : `: ${reason}`}`,
      errors.map(({ code }) => code),
    );
  }

  return {
    zoneId: async (name) => {
      const { result } = await call('GET', `/zones?${new URLSearchParams({ name })}`);
      const [zone] = result as readonly { readonly id: string }[];
      if (zone === undefined)
        throw new CloudflareError(`the token has no access to a zone ${name}; allowed: zones of the token's account, with Zone Read`);
      return zone.id;
    },
    recordsAt: async (zoneId, name) => {
      const records: ZoneRecord[] = [];
      for (let page = 1; ; page += 1) {
        const query = new URLSearchParams({ 'name.exact': name, page: String(page), per_page: String(PER_PAGE) });
        const { result, result_info } = await call('GET', `/zones/${zoneId}/dns_records?${query}`);
        records.push(...(result as readonly ZoneRecord[]));
        if (page >= (result_info?.total_pages ?? 1)) return records;
      }
    },
    change: async (zoneId, changes) => void (await call('POST', `/zones/${zoneId}/dns_records/batch`, changes)),
  };
}
