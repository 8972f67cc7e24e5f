/** The one function of the package that is used; it brings no types. */
declare module "snappyjs" {
  /** The raw block form of Snappy, beginning with the length of `uncompressed`. */
  export function compress(uncompressed: Uint8Array): Uint8Array;
}
