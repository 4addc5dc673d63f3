const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, parallel, src } = require('gulp');

/** What tsc does not carry over: icons, codex files and output schemas, where n8n looks for them. */

exports.clean = async () => await rm('dist', { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
/** Without the white space that only people need. */
const compact = () =>
	new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			file.contents = Buffer.from(JSON.stringify(JSON.parse(file.contents.toString())));
			done(null, file);
		},
	});

const codexAndSchemas = () => src('nodes/**/*.json').pipe(compact()).pipe(dest('dist/nodes'));

exports.assets = parallel(icons, codexAndSchemas);
