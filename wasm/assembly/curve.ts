/**
 * Constants in which the curves differ, for the modules in `pairing/`. Each kernel has its own: the build puts the
 * file of its folder in the place of this one, which is here for editors and for the type checker.
 */
export * from "./bls12-381/curve";
