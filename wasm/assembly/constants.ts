/**
 * The constants of the curve that the modules in `field/` and `pairing/` are compiled for. Each kernel has its own: the
 * build puts those of its folder in the place of these, which are here for editors and for the type checker.
 */
export * from "./bls12-381/constants";
