const { rm } = require('node:fs/promises');
const { dest, parallel, src } = require('gulp');

/** What tsc does not carry over: icons, codex files and output schemas, where n8n looks for them. */

exports.clean = async () => await rm('dist', { recursive: true, force: true });

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codexAndSchemas = () => src('nodes/**/*.json').pipe(dest('dist/nodes'));

exports.assets = parallel(icons, codexAndSchemas);
