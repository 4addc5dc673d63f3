// Builds dist: TypeScript compiles the sources file by file, and the icons, codex files and output
// schemas are copied beside them.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { dest, parallel, series, src, watch } = require('gulp');

/**
 * The package is built in this folder or, for `npm run dev`, in the copy that a running n8n
 * watches. A link to here would not do: n8n watches and reloads all that is below a package.
 */
const { PACKAGE_FOLDER } = process.env;
const built = (path) => join(PACKAGE_FOLDER ?? '', path);

const flag = process.argv.slice(2).find((argument) => argument.startsWith('-'));
if (flag !== undefined) {
	console.error(`The build takes no options: remove ${flag}`);
	process.exit(1);
}

const clean = async () => await rm(built('dist'), { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest(built('dist/icons')));

const codexAndSchemas = () => src('nodes/**/*.json').pipe(dest(built('dist/nodes')));

/** Each file by itself, as fast as can be: types are checked by `npm run typecheck`. */
const FAST = ['--noCheck', '--noResolve', '--isolatedModules'];

const sources = async () => {
	const tsc = require.resolve('typescript/bin/tsc');
	// Source maps are for a debugger; what is shipped goes without.
	const maps = PACKAGE_FOLDER ? ['--inlineSourceMap'] : [];
	const options = ['-p', '.', '--noEmit', 'false', ...FAST, '--outDir', built('dist'), ...maps];
	const [code] = await once(
		spawn(process.execPath, [tsc, ...options], { stdio: 'inherit' }),
		'exit',
	);
	if (code !== 0) throw new Error('TypeScript found errors');
};

const everything = parallel(icons, codexAndSchemas, sources);

exports.build = series(clean, everything);

// Not cleaned: n8n would go on watching the folders that have just been deleted.
exports.watch = series(everything, () => {
	watch(['nodes/**/*.ts', 'credentials/**/*.ts'], sources);
	watch('nodes/**/*.json', codexAndSchemas);
	watch('icons/*.svg', icons);
});
