import { endTurn, isHeld, takeTurn } from '../../nodes/PaymentsGateway/trigger/pollTurn';

test('a trigger polls once at a time, until its poll ends or is taken to be lost', () => {
	const later = performance.now() + 60_000;
	const first = takeTurn('trigger', later);
	expect(first).toBeDefined();
	expect(takeTurn('trigger', later)).toBeUndefined();
	expect(takeTurn('another', later)).toBeDefined();
	if (first) endTurn('trigger', first);
	const lost = takeTurn('trigger', performance.now() - 1);
	const next = takeTurn('trigger', later);
	expect(lost && isHeld('trigger', lost)).toBe(false);
	expect(next && isHeld('trigger', next)).toBe(true);
	// Who has lost the turn does not end that of the next.
	if (lost) endTurn('trigger', lost);
	expect(takeTurn('trigger', later)).toBeUndefined();
});
