// CloudFront Function (runtime 2.0) in front of the cache: which project a host is served for, or where it is sent. A host that is not
// in the map is refused, whatever the cache holds. key-value-map.ts writes the map.

import cf from 'cloudfront';

const map = cf.kvs();

async function handler(event) {
  const request = event.request;
  const host = request.headers.host ? request.headers.host.value.toLowerCase() : '';
  const entry = await lookUp(host);
  if (entry === undefined) return answer(421, 'this host is not served here');
  const [project, status, target] = entry.split(' ');
  if (target !== undefined) {
    const location = { value: `https://${target}${request.uri}${queryOf(request.querystring)}` };
    return answer(Number(status), `moved to ${target}`, { location });
  }
  const deployment = await lookUp(project);
  if (deployment === undefined) return answer(404, 'nothing is published here yet');
  if (request.uri.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))) return answer(404, 'no such page');
  request.uri = `/${project}/${deployment}${request.uri}`;
  return request;
}

async function lookUp(key) {
  try {
    return await map.get(key);
  } catch (_) {
    // That is how the store says that it has no such key.
    return undefined;
  }
}

function answer(statusCode, text, headers) {
  return {
    statusCode,
    headers: Object.assign({ 'content-type': { value: 'text/plain; charset=utf-8' }, 'cache-control': { value: 'no-store' } }, headers),
    body: `${text}\n`,
  };
}

/** The query as it came: CloudFront hands it over in parts, still encoded. */
function queryOf(parts) {
  const pairs = [];
  for (const name in parts) {
    const values = parts[name].multiValue ? parts[name].multiValue : [parts[name]];
    for (const item of values) pairs.push(item.value === '' ? name : `${name}=${item.value}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
