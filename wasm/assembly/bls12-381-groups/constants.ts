/**
 * Constants of BLS12-381, for the groups' orders. Written by `npm run wasm` from the formulas of wasm/constants.ts: do not edit.
 */

/** Limbs of an element. */
export const LIMBS = 14;
/** Bits of a limb. */
export const BITS = 28;
/** Bytes of two elements side by side. */
export const ELEMENT = 112;
/** Bytes of an element as contracts write it. */
export const FIELD_BYTES = 48;
/** The modulus. */
export const MODULUS: usize = memory.data<i32>(
  [
    268413611, 268413611, 267386879, 267386879, 67108793, 67108793, 268430101, 268430101, 103030443,
    103030443, 168782607, 168782607, 258420946, 258420946, 255349035, 255349035, 74926980, 74926980, 79351158,
    79351158, 195540547, 195540547, 241804465, 241804465, 32127359, 32127359, 106513, 106513,
  ],
  16,
);
/** -1 / modulus modulo 2^BITS. */
export const FACTOR: usize = memory.data<u64>([0xffcfffd, 0xffcfffd], 16);
/** (FACTOR * modulus + 1) / 2^BITS. */
export const HIGH: usize = memory.data<i32>(
  [
    3123899, 3123899, 79823826, 79823826, 46169722, 46169722, 26185493, 26185493, 113751736, 113751736,
    157414835, 157414835, 238705141, 238705141, 256087053, 256087053, 233049283, 233049283, 251250597,
    251250597, 39164091, 39164091, 204162147, 204162147, 28441953, 28441953, 106435, 106435,
  ],
  16,
);
/** All bits of a limb. */
export const LIMB: usize = memory.data<u64>([0xfffffff, 0xfffffff], 16);
/** All bits of two limbs. */
export const MASKS: usize = memory.data<u64>([0xfffffff0fffffff, 0xfffffff0fffffff], 16);
/** The same for the top vector, whose top limb keeps what it has. */
export const TOP_MASKS: usize = memory.data<u32>([268435455, 268435455, 0xffffffff, 0xffffffff], 16);
/** 2^63. */
export const BIAS: usize = memory.data<u64>([0x8000000000000000, 0x8000000000000000], 16);
/** 2^63 less what a bias of 2^63 becomes in the next column. */
export const NEXT_BIAS: usize = memory.data<u64>([0x7ffffff800000000, 0x7ffffff800000000], 16);
/** Minus that: no bias remains. */
export const LAST_BIAS: usize = memory.data<u64>([0xfffffff800000000, 0xfffffff800000000], 16);
/** One, not times R. */
export const PLAIN_ONE: usize = memory.data<i32>(
  [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  16,
);
/** R^2, by which elements come into Montgomery's form. */
export const R_SQUARED: usize = memory.data<i32>(
  [
    17002733, 17002733, 114410309, 114410309, 237256034, 237256034, 247749715, 247749715, 61986394, 61986394,
    9646461, 9646461, 189740704, 189740704, 97992840, 97992840, 202435186, 202435186, 140890392, 140890392,
    120719989, 120719989, 265669968, 265669968, 214476633, 214476633, 51412, 51412,
  ],
  16,
);
/** 1 + 0 i. */
export const ONE: usize = memory.data<i32>(
  [
    55049400, 0, 226492416, 0, 176409, 0, 13493970, 0, 208802528, 0, 138027152, 0, 3630751, 0, 228652862, 0,
    162569026, 0, 19495856, 0, 85318031, 0, 1231484, 0, 106560762, 0, 22394, 0,
  ],
  16,
);
/** One in both lanes. */
export const BOTH_ONE: usize = memory.data<i32>(
  [
    55049400, 55049400, 226492416, 226492416, 176409, 176409, 13493970, 13493970, 208802528, 208802528,
    138027152, 138027152, 3630751, 3630751, 228652862, 228652862, 162569026, 162569026, 19495856, 19495856,
    85318031, 85318031, 1231484, 1231484, 106560762, 106560762, 22394, 22394,
  ],
  16,
);
/** A cube root of one, in both lanes. */
export const CUBE_ROOT: usize = memory.data<i32>(
  [
    175477402, 175477402, 109164440, 109164440, 36322973, 36322973, 180093631, 180093631, 82164549, 82164549,
    90074750, 90074750, 75579671, 75579671, 114315035, 114315035, 182663293, 182663293, 88787724, 88787724,
    10798923, 10798923, 90257589, 90257589, 191160422, 191160422, 30450, 30450,
  ],
  16,
);
/** Factor of the conjugate of x in the p-th power behind the twist. */
export const PSI_X: usize = memory.data<i32>(
  [
    0, 92936209, 0, 158222439, 0, 30785820, 0, 88336470, 0, 20865894, 0, 78707857, 0, 182841275, 0, 141034000,
    0, 160699143, 0, 258998889, 0, 184741623, 0, 151546876, 0, 109402393, 0, 76062,
  ],
  16,
);
/** Factor of the conjugate of y in the p-th power behind the twist. */
export const PSI_Y: usize = memory.data<i32>(
  [
    214006660, 54406951, 214293077, 53093802, 25386471, 41722322, 65136247, 203293854, 165981745, 205484154,
    163160186, 5622420, 224798039, 33622907, 192878999, 62470036, 119325914, 224036522, 174489490, 173297123,
    105977342, 89563204, 77805324, 163999141, 240874602, 59688213, 53613, 52899,
  ],
  16,
);
/** Digits of u^2 for the parameter u, the highest first. */
export const FIRST_DIGITS: usize = memory.data<i8>([
  0, -1, 0, -1, 0, -1, 0, 0, 0, 1, 0, 0, 1, 0, -1, 0, -1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, -1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
/** Number of those elements. */
export const FIRST_DIGITS_COUNT = 128;
/** Digits of -u, the highest first. */
export const SECOND_DIGITS: usize = memory.data<i8>([
  0, -1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
/** Number of those elements. */
export const SECOND_DIGITS_COUNT = 64;
