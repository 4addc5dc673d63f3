import { cart } from './cart';
import { customer } from './customer';
import { payment } from './payment';
import { paymentMethod } from './paymentMethod';
import { paylink } from './paylink';
import { webhookEvent } from './webhookEvent';

/**
 * The registry: all that the action node can do, by resource and operation. The form, the loop over
 * items and several tests are built from it. Its keys are stored in workflows and never change, also
 * where labels have: `webhookEvent` is Event, `commit` is Charge, `upsert` is Create or Update.
 */

export const registry = { cart, customer, payment, paylink, paymentMethod, webhookEvent };
