// CloudFront Function (runtime 2.0) in front of the cache: finds the project that a host belongs to, or the redirect for it. A host that is not in
// the map is refused even if the cache holds its files. key-value-map.ts writes the map.
//
// The runtime supports ES 5.1 plus const and let, arrow functions, template strings, rest parameters and async functions. Other newer syntax, such
// as destructuring, for-of or a catch without a binding, can be deployed but fails on every request (CloudFront Developer Guide,
// "JavaScript runtime 2.0 features").

import cf from 'cloudfront';

const map = cf.kvs();

/** An address that no file has, for paths that no file can have: S3 answers it like any missing file. */
const NO_FILE = '/';
/** Maximum length of a file name in bytes, as in core/projects/site-path.ts. */
const MAX_BYTES = 994;
/** The same headers as at the embedded service's edge. CloudFront adds them only to responses from S3 and its cache. */
const SECURITY_HEADERS = {
  'strict-transport-security': { value: 'max-age=31536000' },
  'x-content-type-options': { value: 'nosniff' },
};

async function handler(event) {
  const request = event.request;
  const host = request.headers.host ? request.headers.host.value.toLowerCase() : '';
  const entry = await lookUp(host);
  if (entry === undefined) return answer(421, 'this host is not served here');
  const parts = entry.split(' ');
  const project = parts[0];
  const target = parts[2];
  // Never redirect to a name that is not served: until it is, this host serves the pages itself.
  const ahead = target === undefined ? undefined : await lookUp(target);
  if (ahead !== undefined && ahead.split(' ')[0] === project) {
    const location = `https://${target}${request.uri}${queryOf(request.querystring)}`;
    return answer(Number(parts[1]), `moved to ${target}`, Object.assign({ location: { value: location } }, SECURITY_HEADERS));
  }
  const deployment = await lookUp(project);
  if (deployment === undefined) return answer(404, 'nothing is published here yet', SECURITY_HEADERS);
  request.uri = `/${project}/${deployment}/${fileFor(request.uri)}`;
  return request;
}

/**
 * Returns the address of a file in the deployment, in one canonical encoding: S3 would read a plus sign as a space, and each spelling of an address
 * would be cached separately. The rule for valid names is that of core/projects/site-path.ts.
 */
function fileFor(uri) {
  let path;
  try {
    path = decodeURIComponent(uri).slice(1);
  } catch (_) {
    return NO_FILE;
  }
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const name = path.slice(-1) === '/' ? path.slice(0, -1) : path;
  if (path !== '' && name.split('/').some((part) => part === '' || part === '.' || part === '..')) return NO_FILE;
  if (/[\x00-\x1f\x7f\\]/.test(path) || encoded.replace(/%../g, '_').length > MAX_BYTES) return NO_FILE;
  return encoded;
}

async function lookUp(key) {
  try {
    return await map.get(key);
  } catch (_) {
    // The store throws if it does not have the key.
    return undefined;
  }
}

function answer(statusCode, text, headers) {
  return {
    statusCode: statusCode,
    headers: Object.assign({ 'content-type': { value: 'text/plain; charset=utf-8' }, 'cache-control': { value: 'no-store' } }, headers),
    body: `${text}\n`,
  };
}

/** Rebuilds the original query string, which CloudFront splits into parts, still encoded. */
function queryOf(parts) {
  const pairs = [];
  Object.keys(parts).forEach((name) => {
    const values = parts[name].multiValue ? parts[name].multiValue : [parts[name]];
    values.forEach((item) => {
      pairs.push(item.value === '' ? name : `${name}=${item.value}`);
    });
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
