import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** What only tests and benchmarks may use; the published code has no dependencies. */
const DEVELOPMENT_ONLY = ['axios', 'n8n-core', 'jest', 'fast-check', '@jest/*', 'tsx', 'gulp'];

const TYPED = ['credentials/**/*.ts', 'nodes/**/*.ts', 'test/**/*.ts'];

export default tseslint.config(
	{ ignores: ['dist/**', 'node_modules/**', '.n8n/**', 'coverage/**'] },
	js.configs.recommended,
	{
		files: TYPED,
		extends: [...tseslint.configs.recommended],
		rules: {
			'@typescript-eslint/consistent-type-imports': [
				'error',
				{ fixStyle: 'separate-type-imports' },
			],
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-non-null-assertion': 'error',
			'@typescript-eslint/no-require-imports': 'error',
			eqeqeq: 'error',
			'no-console': 'error',
		},
	},
	{
		files: ['credentials/**/*.ts', 'nodes/**/*.ts'],
		rules: {
			'no-restricted-imports': ['error', { patterns: DEVELOPMENT_ONLY }],
		},
	},
	// n8n's own rules for community packages, as its verification runs them.
	{
		files: ['credentials/**/*.ts', 'nodes/**/*.ts', 'package.json'],
		plugins: n8nCommunityNodesPlugin.configs.recommended.plugins,
		rules: n8nCommunityNodesPlugin.configs.recommended.rules,
	},
	{
		files: ['package.json'],
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: {
			...nodesBase.configs.community.rules,
			'@typescript-eslint/no-unused-expressions': 'off',
			'no-unused-expressions': 'off',
		},
	},
	{
		files: ['credentials/**/*.ts'],
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: {
			...nodesBase.configs.credentials.rules,
			// As n8n's own configuration has it: these two contradict its newer rules.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: {
			...nodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['**/*.mjs', '**/*.js', 'test/**/*.ts'],
		languageOptions: { globals: globals.node },
	},
	{
		files: ['test/**/*.ts'],
		languageOptions: { globals: globals.jest },
		rules: { 'no-console': 'off' },
	},
	{
		files: ['**/*.js'],
		languageOptions: { sourceType: 'commonjs' },
	},
);
