// Makes property tests use the same values each time, unless FC_SEED sets another seed: CI must not fail by chance, and a search for new failures
// is a loop over seeds.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_121) });
