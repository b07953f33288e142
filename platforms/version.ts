// The version, as in package.json; a test compares them. A constant, because package.json is elsewhere in the package than in the repository.

export const VERSION = '0.2.0';
