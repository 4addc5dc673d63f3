/**
 * The gateway's requests and answers: types, one map of its endpoints, and readers of JSON, dates and
 * a charge's status. This folder imports nothing from outside, so that every other one can use it.
 * The index exports the types and `endpoints`; functions and constants come from their own files.
 */

export type * from './customer';
export * from './endpoint';
export type * from './event';
export type * from './page';
export type * from './paylink';
export type * from './payment';
