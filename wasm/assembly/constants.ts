/**
 * The constants of the curve that the modules in `field/`, `pairing/` and `points/` are compiled for. Each kernel has its
 * own: the build puts those of its folder in the place of these, which are here for editors and for the type checker.
 */
export * from "./bls12-381/constants";
export {
  CUBE_ROOT_SECOND,
  DIGITS_FIRST,
  DIGITS_SECOND,
  FIRST_A,
  FIRST_B,
  FIRST_ROOT,
  FIRST_Z,
  HALF,
  HALVES,
  IS_B_3,
  MAX_POINTS,
  PARAMETER_DIGITS,
  PARAMETER_DIGITS_COUNT,
  ROOT_BITS,
  ROOT_EXPONENT,
  SECOND_A,
  SECOND_B,
  SECOND_ROOT,
  SECOND_Z,
  WORDS_OF_MODULUS,
} from "./bls12-381-points/constants";
