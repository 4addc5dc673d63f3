const { mkdir, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, relative } = require('node:path');
const { Transform } = require('node:stream');
const { build } = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');

const {
	n8n: { credentials, nodes },
} = require('./package.json');

/** What n8n loads, each by its class, and the one file that all of it stands in. */
const ENTRIES = [...nodes, ...credentials];
const BUNDLE = 'dist/nodes/PaymentsGateway/bundle.js';

const flag = process.argv.slice(2).find((argument) => argument.startsWith('-'));
if (flag !== undefined) {
	console.error(`The build takes no options, and so no ${flag}`);
	process.exit(1);
}

const clean = async () => await rm('dist', { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

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
		.pipe(dest('dist/nodes'));

const className = (entry) => basename(entry).split('.')[0];

/** n8n finds a class by the name of its file. */
async function entries() {
	for (const entry of ENTRIES) {
		const folder = dirname(entry);
		const path = relative(folder, BUNDLE);
		const name = className(entry);
		await mkdir(folder, { recursive: true });
		await writeFile(
			entry,
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
		outfile: BUNDLE,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		external: ['n8n-workflow'],
		legalComments: 'none',
		logLevel: 'warning',
	});

exports.build = series(clean, parallel(icons, codexAndSchemas, entries, bundle));

exports.watch = series(exports.build, () => {
	watch(['nodes/**/*.ts', 'credentials/**/*.ts'], bundle);
	watch('nodes/**/*.json', codexAndSchemas);
	watch('icons/*.svg', icons);
});
