/**
 * What the gateway takes and answers: types, one map of its endpoints, and how JSON, emails and a
 * charge's status are read. This folder imports nothing from the others, so that all of them can use it.
 */

export type * from './customer';
export * from './endpoint';
export type * from './event';
export type * from './page';
export type * from './paylink';
export type * from './payment';
