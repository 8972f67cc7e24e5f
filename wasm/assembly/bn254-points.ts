/** Sums and products of points of BN254 (EIP-196): the first group alone. */
export { choose, digits, input, output, read, sumOfProducts, sumOfTwo } from "./points/sums";
