// CloudFront Function (runtime 2.0) in front of the dashboard: paths without a dot in the last
// segment are routes of the single-page application, and get index.html.
// ES 5.1 and little more: viewer-request.js says what.

function handler(event) {
  const request = event.request;
  if (request.uri.split('/').pop().indexOf('.') < 0) request.uri = '/index.html';
  return request;
}
