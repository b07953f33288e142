// Refuses an older Node with a clear message. Works in any version, and on import, so import it first, before what needs newer features.

const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < NEEDED)
  throw new Error(`petstore-platform: this is Node ${node}; needed: Node ${NEEDED} or newer, from https://nodejs.org`);
