/** Why a node could not be asked, or what it answered instead. */

/** `refused` is the gateway's word, `node-error` the node's own. */
export type ControlErrorCode = "unreachable" | "refused" | "node-error" | "bad-answer";

/** A call over the control channel that failed. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;

  constructor(code: ControlErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
