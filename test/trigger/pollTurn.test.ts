import { endTurn, isHeld, takeTurn } from '../../nodes/PaymentsGateway/trigger/pollTurn';

test('a poll that was taken to be lost does not end the turn of the next', () => {
	const lost = takeTurn('trigger', performance.now() - 1);
	const next = takeTurn('trigger', performance.now() + 60_000);
	if (!lost || !next) throw new Error('There was no turn to take');
	endTurn('trigger', lost);
	expect(isHeld('trigger', next)).toBe(true);
	expect(takeTurn('trigger', performance.now() + 60_000)).toBeUndefined();
});
