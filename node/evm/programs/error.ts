/** Kinds of failure of a tracer program: an exception, the end of its time, or a failure of the engine. */
export type ProgramErrorCode = "threw" | "late" | "engine-failed";

/** Failure of a tracer program; the message is the program's own for `threw`. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code: ProgramErrorCode;
  constructor(code: ProgramErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
