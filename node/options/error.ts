/** Errors of flags, environment variables and the settings file. */

/** Code of an `OptionError`. */
export type OptionErrorCode =
  | "unknown-flag"
  | "absent-flag"
  | "missing-value"
  | "bad-value"
  | "clash"
  | "bad-file";

/** Invalid option. The message is one line for the user. */
export class OptionError extends Error {
  override readonly name = "OptionError";
  readonly code: OptionErrorCode;
  constructor(code: OptionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
