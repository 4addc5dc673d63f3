import { cart } from './cart';
import { customer } from './customer';
import { payment } from './payment';
import { paymentMethod } from './paymentMethod';
import { paylink } from './paylink';
import { webhookEvent } from './webhookEvent';

/** All that the node can do. */
export const registry = { cart, customer, payment, paylink, paymentMethod, webhookEvent };
