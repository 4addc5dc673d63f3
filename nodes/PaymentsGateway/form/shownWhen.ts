/** Until all fields are made with `builders.ts`: the name by which some still import this. */
export { shownWhen } from './builders';
