/**
 * What differs between the curves that the modules in `pairing/` are compiled for. Each kernel has its own: the build
 * puts that of its folder in the place of this one, which is here for editors and for the type checker.
 */
export * from "./bls12-381/curve";
