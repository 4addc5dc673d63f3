/** @type {import('jest').Config} */
module.exports = {
	...require('../jest.config.js'),
	rootDir: '../../..',
	roots: ['<rootDir>/test/e2e/queue'],
	testPathIgnorePatterns: ['/node_modules/'],
};
