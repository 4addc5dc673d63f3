import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/**
 * Leaves alone what says nothing about behaviour: the form (its texts, order and defaults, which
 * registry.test.ts holds against what is promised), and the words of errors, warnings and the log.
 */
const FORM = new Set(['fields', 'name', 'action', 'description', 'displayName', 'placeholder']);
const TELLS = /^(fieldError|unknownOutcome|warn|info|debug|error|\w*Error)$/;

function nameOf(node) {
	return node.type === 'MemberExpression' ? node.property.name : node.name;
}

const ignoreWords = {
	shouldIgnore(path) {
		if (path.isObjectProperty() && path.node.key.type === 'Identifier') {
			const { name } = path.node.key;
			const { value } = path.node;
			const isText = value.type === 'StringLiteral' || value.type === 'TemplateLiteral';
			if (FORM.has(name) && (name === 'fields' || isText)) return 'the form';
		}
		if (path.isStringLiteral() || path.isTemplateLiteral()) {
			const { callee } =
				path.findParent(
					(each) => each.isFunction() || each.isCallExpression() || each.isNewExpression(),
				)?.node ?? {};
			if (callee && TELLS.test(nameOf(callee) ?? '')) return 'words for people';
		}
		return undefined;
	},
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'words', ignoreWords)];
