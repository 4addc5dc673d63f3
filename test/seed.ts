import fc from 'fast-check';

const { FC_SEED = '20261122' } = process.env;

/**
 * The property tests play the same cases in every run, so that a change is judged by what it does
 * and not by chance. FC_SEED=random (nightly, and `npm run reliability`) plays others; each prints
 * its own seed when it fails.
 */
export const SEED = FC_SEED === 'random' ? Date.now() % 2 ** 31 : Number(FC_SEED);
fc.configureGlobal({ seed: SEED });

/** The same numbers in every run, from 0 to 1. */
export function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}
