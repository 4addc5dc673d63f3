import type { Client } from '../gateway/client';
import type { CustomerRow, Effect } from '../gateway/types';
import type { Attempts } from './attempts';
import type { Complain, Field, Located, Parameters } from './params';
import type { Turn } from './turns';

/** What an operation works with, besides its parameters. */
export interface Tools {
	client: Client;
	/** Makes the error that names the item. */
	complain: Complain;
	/** All customers with this email, whatever its case. */
	customersByEmail(email: string): Promise<CustomerRow[]>;
	/** The ID of the customer that was picked, looked up when it is given by email. */
	customerID(customer: Located): Promise<string>;
	/** Runs tasks for the same email one after another, in the order of the items. */
	inTurn<T>(email: string, task: (turn: Turn<string>) => Promise<T>): Promise<T>;
	/** What this run has learned that the service may not show yet, by key. */
	learned: Map<string, string>;
	/** A switch that counts only when somebody has set it in the node itself. */
	isSwitchedOn(path: string): boolean;
	/** An AI agent is the caller. */
	isAgent: boolean;
	/** The charges that this execution knows of. */
	attempts: Attempts;
	cancelled: AbortSignal | undefined;
}

/** A single result, or one item for each of a list. */
export type Result = object | readonly object[];

interface Definition<Fields extends readonly Field[]> {
	/** As the list of operations shows it. */
	name: string;
	/** As the node panel shows it, and all that an agent sees. */
	action: string;
	description: string;
	effect: Effect;
	fields: Fields;
	run: (parameters: Parameters<Fields>, tools: Tools) => Promise<Result>;
}

/** An operation whose parameters are no longer known by type: the registry holds them all. */
export interface Operation extends Omit<Definition<readonly Field[]>, 'run'> {
	run: (parameters: never, tools: Tools) => Promise<Result>;
}

/** Types the parameters of `run` by the fields. */
export function operation<const Fields extends readonly Field[]>(
	definition: Definition<Fields>,
): Definition<Fields> {
	return definition;
}

export interface Resource {
	name: string;
	description: string;
	operations: Readonly<Record<string, Operation>>;
}

export type Registry = Readonly<Record<string, Resource>>;
