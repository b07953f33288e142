// Refuses an older Node with a clear message, before it fails on a missing feature. The code works in any version, and imports nothing. The
// check runs on import, before any other module is loaded if this file is imported first.

const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < NEEDED)
  throw new Error(`petstore-platform: this is Node ${node}; needed: Node ${NEEDED} or newer, from https://nodejs.org`);
