import { holdBack, rememberHandOver } from '../../nodes/PaymentsGateway/trigger/pollTurn';

afterEach(() => {
	jest.restoreAllMocks();
});

test('polls that start from the state before a hand-over are held back, however many there are', () => {
	rememberHandOver('node', 'before');
	const held = [1, 2, 3, 4].map(() => holdBack('node', 'before'));
	expect(held).toEqual([true, true, true, true]);
	expect(holdBack('other node', 'before')).toBe(false);
	// Once n8n has stored it, the state is another one, and may come back.
	expect([holdBack('node', 'after'), holdBack('node', 'before')]).toEqual([false, false]);
});

test('a hand-over that n8n has dropped fires again after a minute', () => {
	rememberHandOver('node', 'before');
	jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
	expect(holdBack('node', 'before')).toBe(false);
});
