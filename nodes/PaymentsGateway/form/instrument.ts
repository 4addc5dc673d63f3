/** Until all operations import `paymentMethod.ts`: the names by which some still import this. */
export { achDetails, cardDetails, methodToSave as instrumentOf } from './paymentMethod';
