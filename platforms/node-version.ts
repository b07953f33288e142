// Refuses an older Node with a clear message. It works in any version, and checks on import, so import it before what needs newer features.

const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < NEEDED)
  throw new Error(`petstore-platform: this is Node ${node}; needed: Node ${NEEDED} or newer, from https://nodejs.org`);
