const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, parallel, src } = require('gulp');

/** What tsc leaves to do: icons, codex files and output schemas go where n8n looks for them. */

const flag = process.argv.slice(2).find((argument) => argument.startsWith('-'));
if (flag !== undefined) {
	console.error(`The build takes no options, and so no ${flag}`);
	process.exit(1);
}

const rewrite = (text) =>
	new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			file.contents = Buffer.from(text(file.contents.toString()));
			done(null, file);
		},
	});

exports.clean = async () => await rm('dist', { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** Without the white space that only people need. */
const codexAndSchemas = () =>
	src('nodes/**/*.json')
		.pipe(rewrite((json) => JSON.stringify(JSON.parse(json))))
		.pipe(dest('dist/nodes'));

exports.assets = parallel(icons, codexAndSchemas);

/** tsc indents by four spaces and cannot be told otherwise; with tabs the tarball is smaller. */
exports.indent = () =>
	src('dist/**/*.js')
		.pipe(
			rewrite((code) => code.replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))),
		)
		.pipe(dest('dist'));
