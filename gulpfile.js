// Builds dist. Each class that n8n loads stands in its own published file, since n8n's verification
// reads those alone. What both nodes share is one bundle beside them: otherwise n8n would
// read and compile a hundred files at every start, and what a process remembers must exist once.
const { readFile, rm } = require('node:fs/promises');
const { join } = require('node:path');
const { Transform } = require('node:stream');
const { build, transform } = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');

const {
	n8n: { credentials, nodes },
} = require('./package.json');

/**
 * The package is built in this folder or, for `npm run dev`, in the copy that a running n8n
 * watches. A link to here would not do: n8n watches and reloads all that is below a package.
 */
const { PACKAGE_FOLDER } = process.env;
const built = (path) => join(PACKAGE_FOLDER ?? '', path);

const flag = process.argv.slice(2).find((argument) => argument.startsWith('-'));
if (flag !== undefined) {
	console.error(`The build takes no options, and so no ${flag}`);
	process.exit(1);
}

const clean = async () => await rm(built('dist'), { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest(built('dist/icons')));

/** Without the white space that only people need. */
const codexAndSchemas = () =>
	src('nodes/**/*.json')
		.pipe(
			new Transform({
				objectMode: true,
				transform(file, _encoding, done) {
					file.contents = Buffer.from(JSON.stringify(JSON.parse(file.contents.toString())));
					done(null, file);
				},
			}),
		)
		.pipe(dest(built('dist/nodes')));

const output = {
	outdir: built('dist'),
	outbase: '.',
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	legalComments: 'none',
	// For a debugger; what is shipped goes without.
	sourcemap: PACKAGE_FOLDER ? 'inline' : false,
	logLevel: 'warning',
};

/** Only translated: a bundler would write `var Name = class`, which the verification does not see. */
const entries = async () =>
	await build({
		...output,
		entryPoints: [...credentials, ...nodes].map((file) =>
			file.replace(/^dist\/(.*)\.js$/, '$1.ts'),
		),
	});

/** Comments stay in the sources: a bundle keeps only some of them, and out of place. */
const withoutComments = {
	name: 'without comments',
	setup: ({ onLoad }) =>
		onLoad({ filter: /\.ts$/ }, async ({ path }) => {
			const { code } = await transform(await readFile(path, 'utf8'), {
				...{ loader: 'ts', target: output.target, minifyWhitespace: true },
				...{ sourcefile: path, sourcemap: output.sourcemap },
			});
			return { contents: code };
		}),
};

const bundle = async () =>
	await build({
		...output,
		entryPoints: ['nodes/PaymentsGateway/bundle.ts'],
		bundle: true,
		plugins: [withoutComments],
		external: ['n8n-workflow'],
	});

const everything = parallel(icons, codexAndSchemas, entries, bundle);

exports.build = series(clean, everything);

// Not cleaned: n8n would go on watching the folders that have just been deleted.
exports.watch = series(everything, () => {
	watch(['nodes/**/*.ts', 'credentials/**/*.ts'], parallel(entries, bundle));
	watch('nodes/**/*.json', codexAndSchemas);
	watch('icons/*.svg', icons);
});
