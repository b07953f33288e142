// CloudFront Function (runtime 2.0) in front of the dashboard: addresses within it have no dot in their last part, and all are its one page.
// ES 5.1 and little more: viewer-request.js says what.

function handler(event) {
  const request = event.request;
  if (request.uri.split('/').pop().indexOf('.') < 0) request.uri = '/index.html';
  return request;
}
