// CloudFront Function (runtime 2.0) in front of the cache: which project a host is served for, or where it is sent. A host that is not
// in the map is refused, whatever the cache holds. key-value-map.ts writes the map.
//
// The runtime speaks ES 5.1 with const and let, arrow functions, template strings, rest parameters and async functions. Anything
// newer, such as destructuring, for-of or a catch without a binding, deploys, but fails at each request (CloudFront Developer Guide,
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
  // Nobody is sent to a name that is not served: until it is, this one serves the pages itself.
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
    // That is how the store says that it has no such key.
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

/** The query as it came: CloudFront hands it over in parts, still encoded. */
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
