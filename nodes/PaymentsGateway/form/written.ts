/** Until all operations import `rawParameter.ts`: the names by which some still import this. */
export { isByExpression, rawParameter as written } from './rawParameter';
