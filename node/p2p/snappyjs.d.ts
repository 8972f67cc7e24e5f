/** Type of the one function of the package that is used; it ships no types. */
declare module "snappyjs" {
  /** Compresses into the Snappy block format, which begins with the uncompressed length. */
  export function compress(uncompressed: Uint8Array): Uint8Array;
}
