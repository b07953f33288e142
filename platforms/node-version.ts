// Refuses an older Node with a clear message, before it fails on a missing feature. The code works in any version, and imports nothing. It runs on
// import, so that importing this file first runs it before other modules are loaded.

const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < NEEDED)
  throw new Error(`petstore-platform: this is Node ${node}; needed: Node ${NEEDED} or newer, from https://nodejs.org`);
