/**
 * What the gateway takes and answers: types, one map of its endpoints, and how JSON, dates and the
 * status of a charge are read. This folder imports nothing, so that all others can use it.
 */

export type * from './customer';
export * from './endpoint';
export type * from './event';
export type * from './page';
export type * from './paylink';
export type * from './payment';
