/** The ground floor: the service's shapes as types, and one map of its endpoints. */

export type * from './customer';
export * from './endpoint';
export type * from './event';
export type * from './page';
export type * from './paylink';
export type * from './payment';
