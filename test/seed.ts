import fc from 'fast-check';

/**
 * The property tests play the same cases in every run, so that a change is judged by what it does
 * and not by chance. FC_SEED=random (nightly, and `npm run reliability`) plays others; each prints
 * its own seed when it fails.
 */
const { FC_SEED = '20261122' } = process.env;
if (FC_SEED !== 'random') fc.configureGlobal({ seed: Number(FC_SEED) });
