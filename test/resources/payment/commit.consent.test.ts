import type { INodeParameters } from 'n8n-workflow';

import type { AgentPath } from '../../engine';
import { nothingSent, once, words, parametersOf, useCharges } from './charges';

/** Nothing is charged unless a person has agreed: no expression, no model and no agent can agree. */

const { sandbox, commit, agentCommit, cart, seen } = useCharges();

describe('1. consent', () => {
	test.each<[string, INodeParameters]>([
		['it is off', { customerConsent: false }],
		['an expression gives it', { customerConsent: '={{ true }}' }],
		['the model gives it', { customerConsent: "={{ $fromAI('consent', '', 'boolean') }}" }],
		['a workflow was edited to hold text', { customerConsent: 'true' }],
		['a workflow was edited to hold a number', { customerConsent: 1 }],
	])('nothing is sent when %s', async (_, consent) => {
		const run = await commit({ paymentData: cart(), ...consent }, { items: [{ v: true }] });
		expect(words(run)).toMatch(/"?Customer Has Agreed to This Charge"?/);
		expect(seen()).toEqual(nothingSent);
	});

	const paths: AgentPath[] = ['supplyData', 'engineRequest', 'ephemeral'];

	test.each(paths)('an agent that calls by %s charges nothing', async (via) => {
		const parameters = parametersOf({ paymentData: cart() });
		const run = await agentCommit({ parameters, via });
		expect(`${run.answer} ${words(run)}`).toMatch(/Nothing was charged: an AI agent called/);
		expect(`${run.answer} ${words(run)}`).toMatch(/Do not try again/);
		expect(seen()).toEqual(nothingSent);
	});

	test.each(paths)('nor by %s with a switch that it fills in itself', async (via) => {
		const ai = "={{ $fromAI('allow', '', 'boolean') }}";
		for (const switches of [
			{ options: { allowAgentCharges: ai } },
			{ customerConsent: ai, options: { allowAgentCharges: true } },
			{ options: '={{ ({ allowAgentCharges: true }) }}' },
		]) {
			const parameters = parametersOf({ paymentData: cart(), ...switches });
			const args = { allow: true };
			const run = await agentCommit({ parameters, args, via });
			expect(`${run.answer} ${words(run)}`).toMatch(/Nothing was charged/);
		}
		expect(seen()).toEqual(nothingSent);
	});

	test.each(paths)('an agent that is allowed charges once by %s', async (via) => {
		const parameters = parametersOf({
			paymentData: "={{ $fromAI('cart', '', 'string') }}",
			options: { allowAgentCharges: true },
		});
		const args = { cart: cart() };
		const call = async () => await agentCommit({ parameters, args, via });
		sandbox.settings.eventLag = via === 'ephemeral' ? Infinity : 0;
		expect((await call()).answer).toContain('"charged":true');
		expect((await call()).answer).toContain('"status":"ALREADY_PAID"');
		expect(seen()).toEqual(once);
	});
});
