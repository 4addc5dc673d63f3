/** Until all fields are made with `builders.ts`: the names by which some still import this. */
export { money, notice, toggle } from '../builders';
