const { mkdir, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative } = require('node:path');
const { Transform } = require('node:stream');
const { build } = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');

const {
	n8n: { credentials, nodes },
} = require('./package.json');

/** What n8n loads, each by its class, and the one file that all of it stands in. */
const ENTRIES = [...nodes, ...credentials];
const BUNDLE = 'dist/nodes/PaymentsGateway/bundle.js';
/**
 * Built into this folder, or into that of a package which a running n8n watches (`npm run dev`). A
 * link from there to here would not do: n8n watches and reloads all that is below a package.
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

const className = (entry) => basename(entry).split('.')[0];

/** n8n finds a class by the name of its file. */
async function entries() {
	for (const entry of ENTRIES) {
		const folder = dirname(entry);
		const path = relative(folder, BUNDLE);
		const name = className(entry);
		await mkdir(built(folder), { recursive: true });
		await writeFile(
			built(entry),
			`exports.${name} = require('${path.startsWith('.') ? path : `./${path}`}').${name};\n`,
		);
	}
}

/** In one file, since n8n would read and compile some sixty of them at every start. */
const bundle = async () =>
	await build({
		stdin: {
			contents: ENTRIES.map((entry) => {
				const source = `./${relative('dist', entry).replace(/\.js$/, '')}`;
				return `export { ${className(entry)} } from '${source}';`;
			}).join('\n'),
			resolveDir: __dirname,
		},
		outfile: built(BUNDLE),
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		external: ['n8n-workflow'],
		legalComments: 'none',
		// For a debugger; what is shipped goes without.
		sourcemap: PACKAGE_FOLDER ? 'inline' : false,
		logLevel: 'warning',
	});

const everything = parallel(icons, codexAndSchemas, entries, bundle);

exports.build = series(clean, everything);

// Not cleaned: n8n would go on watching the folders that have just been deleted.
exports.watch = series(everything, () => {
	watch(['nodes/**/*.ts', 'credentials/**/*.ts'], bundle);
	watch('nodes/**/*.json', codexAndSchemas);
	watch('icons/*.svg', icons);
});
