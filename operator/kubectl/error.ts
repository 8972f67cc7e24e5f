/** Errors of the plugin for kubectl. */

/** An invalid command line, or a Node that does not exist. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly code: "usage" | "not-found";

  constructor(code: PluginError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
