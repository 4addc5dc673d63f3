/**
 * Everything that the two nodes use. The build puts it into one file beside theirs, so that n8n
 * reads few files and what a process remembers exists once for both nodes. The node files import
 * from here alone.
 */

export { searchCustomers } from './listSearch/searchCustomers';
export { searchPaymentMethods } from './listSearch/searchPaymentMethods';
export { describe } from './operation/describe';
export { execute } from './operation/execute';
export { registry } from './resources';
export { fields as triggerFields } from './trigger/fields';
export { poll } from './trigger/poll';
