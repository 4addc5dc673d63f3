/** Until all operations import `empty.ts`: the names by which some still import this. */
export { isEmpty, withoutEmpty as filledIn } from './empty';
