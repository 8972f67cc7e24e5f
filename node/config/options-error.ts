/** What can be wrong with flags, environment variables and the settings file. */
export type OptionErrorCode =
  | "unknown-flag"
  | "absent-flag"
  | "missing-value"
  | "bad-value"
  | "clash"
  | "bad-file";

/** Thrown while options are read; the message is one line for the person who typed them. */
export class OptionError extends Error {
  override readonly name = "OptionError";
  readonly code: OptionErrorCode;
  constructor(code: OptionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
