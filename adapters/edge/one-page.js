// CloudFront Function (runtime 2.0) in front of the dashboard. /docs is the API reference; other paths without a dot in the last segment are routes
// of the single-page application, and get index.html. The language is hardly more than ES 5.1: see viewer-request.js.

function handler(event) {
  const request = event.request;
  if (request.uri === '/docs' || request.uri === '/docs/') request.uri = '/docs/index.html';
  else if (request.uri.split('/').pop().indexOf('.') < 0) request.uri = '/index.html';
  return request;
}
