// Adds up jest's results from the JSON files given as arguments; all of them must exist.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
	const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
	if (text === '') {
		console.log(`jest did not run to its end: ${basename(file, '.json')}`);
		process.exitCode = 1;
		continue;
	}
	const result = JSON.parse(text);
	if (result.numRuntimeErrorTestSuites > 0) {
		console.log(`${result.numRuntimeErrorTestSuites} test files could not run`);
		process.exitCode = 1;
	}
	passed += result.numPassedTests;
	failed += result.numFailedTests;
}
console.log(`${passed} passed, ${failed} failed`);
if (passed === 0 || failed > 0) process.exitCode = 1;
