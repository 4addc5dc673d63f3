/** Milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** How late events may come, and what a poll of 45 seconds may take. */
export const LOOK_BACK = 72 * HOUR;
export const BUDGET = 40_500;
