/** @type {import('jest').Config} */
module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.e2e.ts'],
	// Needs Redis and PostgreSQL as well: `npm run e2e:queue`.
	testPathIgnorePatterns: ['/node_modules/', '/test/e2e/queue/'],
	// Types are checked by `npm run typecheck`; here each file is only translated.
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	transformIgnorePatterns: ['/node_modules/', '/dist/'],
	globalSetup: '<rootDir>/test/freshBuild.ts',
	// Each file has an n8n of its own, which is enough for a small machine: one after the other.
	maxWorkers: 1,
	// The first of them may have to install n8n.
	testTimeout: 900_000,
	verbose: true,
};
