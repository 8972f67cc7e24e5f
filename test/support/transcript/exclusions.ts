/** Where this node does not answer as the recorded one did, on purpose: each with the reason and what it does. */

/** One exclusion. */
export interface Exclusion {
  /** The whole request. */
  readonly request: string;
  readonly reason: string;
  /** What this node answers. */
  readonly response: string;
}

const INVALID = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}';

/** All of them. */
export const exclusions: readonly Exclusion[] = [
  {
    request: "null",
    reason: "the recorded node crashes on it and drops the connection",
    response: `${INVALID}\n`,
  },
  {
    request: "[null]",
    reason: "the recorded node crashes on it and drops the connection",
    response: `[${INVALID}]\n`,
  },
];
