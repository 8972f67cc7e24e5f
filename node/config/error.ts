/** What can be wrong with a chain's configuration, a genesis or the program's options. */
export type ConfigErrorCode = "bad-chain-config" | "bad-genesis" | "bad-json" | "fork-order";

/** Thrown by this room; `code` is stable, the message is the Go node's text wherever that has one. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
