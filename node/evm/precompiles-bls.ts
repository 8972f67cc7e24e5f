/**
 * Precompiled contracts on BLS12-381 (EIP-2537). The computation cost is fifty times the gas before it is
 * rounded.
 */
import {
  addG1,
  addG2,
  BLS_POINT_BYTES,
  isBlsPairing,
  mapToG1,
  mapToG2,
  sumG1,
  sumG2,
} from "../crypto/bls-points.ts";
import type { PrecompileWork } from "./precompile.ts";
import { truth } from "./precompiles-curves.ts";

/**
 * Discounts of EIP-2537 in thousandths of a multiplication's gas, by the number of terms; the last value
 * holds for more terms.
 */
// biome-ignore format: a table
const G1_DISCOUNTS = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677,
  673, 669, 665, 661, 658, 654, 651, 648, 645, 642, 640, 637, 635, 632, 630, 627,
  625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601, 599, 598,
  596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576,
  575, 574, 573, 572, 570, 569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559,
  558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545, 544,
  543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531,
  530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
];
// biome-ignore format: a table
const G2_DISCOUNTS = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717,
  711, 704, 699, 693, 688, 683, 679, 674, 670, 666, 663, 659, 655, 652, 649, 646,
  643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611, 609, 607,
  606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582,
  580, 579, 578, 576, 575, 574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562,
  561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551, 550, 549, 548, 547,
  546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535,
  534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
];

const COST_OF_GAS = 50;

const cost: PrecompileWork["cost"] = (_input, gas) => COST_OF_GAS * Number(gas);

interface FixedSizeOptions {
  readonly name: string;
  readonly bytes: number;
  readonly gas: number;
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
}

function fixedSizeContract({ name, bytes, gas, run }: FixedSizeOptions): PrecompileWork {
  return {
    name,
    gas: () => gas,
    cost,
    run: ({ input }) => run(input),
    fault: ({ length }) => faultOf(length === bytes),
  };
}

/**
 * Returns the text of a failure. The Go node has further texts for points outside the subgroup and for
 * coordinates outside the field.
 */
function faultOf(lengthFits: boolean): string {
  return lengthFits ? "invalid point: not on curve" : "invalid input length";
}

interface MsmOptions {
  readonly name: string;
  readonly termBytes: number;
  readonly gas: number;
  readonly discounts: readonly number[];
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
}

function msmContract({ name, termBytes, gas, discounts, run }: MsmOptions): PrecompileWork {
  const discounted = ({ length }: Uint8Array, price: number): number => {
    const terms = Math.floor(length / termBytes);
    const discount = discounts[Math.min(terms, discounts.length) - 1] ?? 0;
    return Math.floor((terms * price * discount) / 1000);
  };
  return {
    name,
    gas: (input) => discounted(input, gas),
    cost: (input) => discounted(input, COST_OF_GAS * gas),
    run: ({ input }) => run(input),
    fault: ({ length }) => faultOf(length > 0 && length % termBytes === 0),
  };
}

/** BLS12_G1ADD: the sum of two points of G1. */
export const blsG1Add = fixedSizeContract({
  name: "blsG1Add",
  bytes: 2 * BLS_POINT_BYTES.g1,
  gas: 375,
  run: addG1,
});
/** BLS12_G2ADD: the sum of two points of G2. */
export const blsG2Add = fixedSizeContract({
  name: "blsG2Add",
  bytes: 2 * BLS_POINT_BYTES.g2,
  gas: 600,
  run: addG2,
});
/** BLS12_MAP_FP_TO_G1: maps a field element to G1. */
export const blsMapG1 = fixedSizeContract({
  name: "blsMapG1",
  bytes: BLS_POINT_BYTES.g1 / 2,
  gas: 5500,
  run: mapToG1,
});
/** BLS12_MAP_FP2_TO_G2: maps an element of the quadratic extension to G2. */
export const blsMapG2 = fixedSizeContract({
  name: "blsMapG2",
  bytes: BLS_POINT_BYTES.g2 / 2,
  gas: 23_800,
  run: mapToG2,
});

/** BLS12_G1MSM: a multi-scalar multiplication in G1. */
export const blsG1Msm = msmContract({
  name: "blsG1Msm",
  termBytes: BLS_POINT_BYTES.g1Term,
  gas: 12_000,
  discounts: G1_DISCOUNTS,
  run: sumG1,
});

/** BLS12_G2MSM: a multi-scalar multiplication in G2. */
export const blsG2Msm = msmContract({
  name: "blsG2Msm",
  termBytes: BLS_POINT_BYTES.g2Term,
  gas: 22_500,
  discounts: G2_DISCOUNTS,
  run: sumG2,
});

/** BLS12_PAIRING_CHECK: 1 when the product of the pairings is one, else 0. */
export const blsPairing: PrecompileWork = {
  name: "blsPairing",
  gas: (input) => 37_700 + 32_600 * Math.floor(input.length / BLS_POINT_BYTES.pair),
  cost,
  run: ({ input }) => {
    const result = isBlsPairing(input);
    return result === undefined ? undefined : truth(result);
  },
  fault: ({ length }) => faultOf(length > 0 && length % BLS_POINT_BYTES.pair === 0),
};
