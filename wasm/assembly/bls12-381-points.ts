/**
 * Sums and products of points of BLS12-381, the maps from its fields to its groups (EIP-2537, RFC 9380) and points that
 * are written as x alone.
 */
export { lift, map } from "./points/maps";
export { choose, digits, input, output, read, sumOfProducts, sumOfTwo } from "./points/sums";
