/** What becomes of a program that does not do its work. */
export type ProgramErrorCode = "threw" | "late" | "engine-failed";

/** A stranger's program that failed: its own words, or that its time was up. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code: ProgramErrorCode;
  constructor(code: ProgramErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
