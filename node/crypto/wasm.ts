/** Instances of WebAssembly modules that the build wrote as base64. */

/** The part of the global that is used; its types are only in the browser's library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/**
 * Returns the exports of a new instance of a WebAssembly module in base64; the caller knows their types from
 * its source.
 */
export function openWasm(base64: string): unknown {
  const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
  return new WebAssembly.Instance(module).exports;
}
