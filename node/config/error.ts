/** Errors of chain configurations and genesis files. */

/** Code of a `ConfigError`. */
export type ConfigErrorCode = "bad-chain-config" | "bad-genesis" | "bad-json" | "fork-order";

/** Invalid chain configuration or genesis. `code` is stable; the message is the Go node's where it has one. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
