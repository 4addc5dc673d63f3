/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/environment.ts',
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: ['/node_modules/', '/test/e2e/'],
	// Types are checked by `npm run typecheck`; here each file is only compiled.
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', diagnostics: false }] },
	transformIgnorePatterns: ['/node_modules/', '/dist/'],
	modulePathIgnorePatterns: ['<rootDir>/.n8n/'],
	globalSetup: '<rootDir>/test/freshBuild.ts',
	setupFiles: ['<rootDir>/test/seed.ts'],
	// CI machines have two cores; three workers were measured as no faster.
	maxWorkers: 2,
	testTimeout: 30_000,
};
