/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/environment.ts',
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: ['/node_modules/', '/test/e2e/'],
	// Types are checked by `npm run typecheck`; here each file is only compiled.
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	transformIgnorePatterns: ['/node_modules/', '/dist/'],
	modulePathIgnorePatterns: ['<rootDir>/.n8n/'],
	globalSetup: '<rootDir>/test/freshBuild.ts',
	setupFiles: ['<rootDir>/test/seed.ts'],
	// Some tests wait for most of their time. Measured on two cores: 118 s with four workers, 137 s with three.
	maxWorkers: 4,
	testTimeout: 30_000,
};
