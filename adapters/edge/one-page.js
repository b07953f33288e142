// CloudFront Function (runtime 2.0) in front of the dashboard. Paths without a dot in the last segment are routes of the single-page application
// and get index.html. The language is hardly more than ES 5.1: see viewer-request.js.

function handler(event) {
  const request = event.request;
  if (request.uri.split('/').pop().indexOf('.') < 0) request.uri = '/index.html';
  return request;
}
