/** Codes of `GovernanceError`. */
export type GovernanceErrorCode =
  | "bad-vote"
  | "bad-data"
  | "bad-answer"
  | "no-key"
  | "no-vote-right"
  | "bad-ballot"
  | "too-many";

/** Thrown by governance. The texts of header rules are the Go node's. */
export class GovernanceError extends Error {
  override readonly name = "GovernanceError";
  readonly code: GovernanceErrorCode;
  constructor(code: GovernanceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
