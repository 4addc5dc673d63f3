/**
 * What tests and the demo may use of the sandbox. `startSandbox` starts one, and `nodeCredentials`
 * gives the credential for it in n8n.
 */

export { createSandbox, startSandbox } from './sandbox';
export type { Sandbox, SandboxOptions } from './sandbox';
export type { EventInput } from './event';
export type { Fault } from './fault';
export type { RecordedRequest, RequestBody } from './request';
export type { Settings } from './settings';
export type { CartInput, StoredPaylink } from './state';
export { nodeCredentials } from './world';
