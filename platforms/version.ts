// The version, as in package.json; a test compares them. A constant, because the path to package.json differs in the published package.

export const VERSION = '0.2.0';
