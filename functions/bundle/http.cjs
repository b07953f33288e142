// `node:http` for the bundles. An import of it by an ES module makes Node evaluate all of its exports, among them `WebSocket`, which loads undici: 12 ms
// of a cold start.
module.exports = process.getBuiltinModule('node:http');
