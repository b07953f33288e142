// CloudFront Function (runtime 2.0) in front of the cache: finds the project that a host belongs to, or the redirect for it. A host that is not in
// the map is refused even if the cache holds its files. key-value-map.ts writes the map.
//
// The runtime supports ES 5.1 plus const and let, arrow functions, template strings, rest parameters and async functions. Other newer syntax, such
// as destructuring, for-of or a catch without a binding, can be deployed but fails on every request (CloudFront Developer Guide,
// "JavaScript runtime 2.0 features").

import cf from 'cloudfront';

const map = cf.kvs();

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
    return answer(Number(parts[1]), `moved to ${target}`, { location: { value: location } });
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
