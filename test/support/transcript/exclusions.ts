/**
 * Intended differences between this node's answers and the recorded ones: each with the reason and this node's
 * answer.
 */

/** One exclusion. */
export interface Exclusion {
  /** The whole request. */
  readonly request: string;
  readonly reason: string;
  /** Answer of this node. */
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
