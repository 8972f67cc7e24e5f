/**
 * Constants of BN254. Written by `npm run wasm` from the formulas of wasm/constants.ts: do not edit.
 */

/** Limbs of an element. */
export const LIMBS = 10;
/** Bits of a limb. */
export const BITS = 29;
/** Bytes of two elements side by side. */
export const ELEMENT = 80;
/** Bytes of an element as contracts write it. */
export const FIELD_BYTES = 32;
/** The modulus. */
export const MODULUS: usize = memory.data<i32>(
  [
    410844487, 410844487, 17064118, 17064118, 477274959, 477274959, 47522512, 47522512, 361093496, 361093496,
    47923392, 47923392, 10936641, 10936641, 240920116, 240920116, 3171406, 3171406, 0, 0,
  ],
  16,
);
/** -1 / modulus modulo 2^BITS. */
export const FACTOR: usize = memory.data<u64>([0x4866389, 0x4866389], 16);
/** (FACTOR * modulus + 1) / 2^BITS. */
export const HIGH: usize = memory.data<i32>(
  [
    393779871, 393779871, 100647900, 100647900, 225173058, 225173058, 485577443, 485577443, 418055519,
    418055519, 249042402, 249042402, 23471826, 23471826, 193702671, 193702671, 448452, 448452, 0, 0,
  ],
  16,
);
/** All bits of a limb. */
export const LIMB: usize = memory.data<u64>([0x1fffffff, 0x1fffffff], 16);
/** All bits of two limbs. */
export const MASKS: usize = memory.data<u64>([0x1fffffff1fffffff, 0x1fffffff1fffffff], 16);
/** The same for the top vector, whose top limb keeps what it has. */
export const TOP_MASKS: usize = memory.data<u32>([536870911, 536870911, 0xffffffff, 0xffffffff], 16);
/** 2^63. */
export const BIAS: usize = memory.data<u64>([0x8000000000000000, 0x8000000000000000], 16);
/** 2^63 less what a bias of 2^63 becomes in the next column. */
export const NEXT_BIAS: usize = memory.data<u64>([0x7ffffffc00000000, 0x7ffffffc00000000], 16);
/** Minus that: no bias remains. */
export const LAST_BIAS: usize = memory.data<u64>([0xfffffffc00000000, 0xfffffffc00000000], 16);
/** One, not times R. */
export const PLAIN_ONE: usize = memory.data<i32>(
  [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  16,
);
/** R^2, by which elements come into Montgomery's form. */
export const R_SQUARED: usize = memory.data<i32>(
  [
    437245907, 437245907, 224394946, 224394946, 486441833, 486441833, 433753985, 433753985, 118420723,
    118420723, 232626496, 232626496, 189663991, 189663991, 86786989, 86786989, 2870367, 2870367, 0, 0,
  ],
  16,
);
/** 1 + 0 i. */
export const ONE: usize = memory.data<i32>(
  [
    234878424, 0, 272295101, 0, 159293565, 0, 81258916, 0, 302587834, 0, 243386039, 0, 115418907, 0,
    527840785, 0, 1765389, 0, 0, 0,
  ],
  16,
);
/** One in both lanes. */
export const BOTH_ONE: usize = memory.data<i32>(
  [
    234878424, 234878424, 272295101, 272295101, 159293565, 159293565, 81258916, 81258916, 302587834,
    302587834, 243386039, 243386039, 115418907, 115418907, 527840785, 527840785, 1765389, 1765389, 0, 0,
  ],
  16,
);
/** p - 2, the lowest word first. */
export const INVERSE_EXPONENT: usize = memory.data<u64>(
  [0x3c208c16d87cfd45, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029, 0x0, 0x0],
  16,
);
/** Bits of p - 2. */
export const INVERSE_BITS = 254;
/** xi^(0 (p - 1) / 6). */
export const FROBENIUS_0: usize = memory.data<i32>(
  [
    234878424, 0, 272295101, 0, 159293565, 0, 81258916, 0, 302587834, 0, 243386039, 0, 115418907, 0,
    527840785, 0, 1765389, 0, 0, 0,
  ],
  16,
);
/** xi^(1 (p - 1) / 6). */
export const FROBENIUS_1: usize = memory.data<i32>(
  [
    492307267, 345285429, 381211225, 193254306, 220092633, 467097850, 449929689, 73066273, 99078475,
    104672173, 197406268, 117512034, 481968359, 501095703, 346730234, 161413373, 760340, 2668503, 0, 0,
  ],
  16,
);
/** xi^(2 (p - 1) / 6). */
export const FROBENIUS_2: usize = memory.data<i32>(
  [
    358353130, 398158457, 7085400, 169483468, 267947737, 52333692, 98705148, 136051430, 532039441, 504788480,
    530692372, 388383367, 484672131, 484234970, 149194996, 110483504, 2109245, 742277, 0, 0,
  ],
  16,
);
/** xi^(3 (p - 1) / 6). */
export const FROBENIUS_3: usize = memory.data<i32>(
  [
    942843, 8485587, 219455641, 364488033, 344570651, 416781302, 97358710, 339357483, 410781836, 475811053,
    232715433, 483826167, 449105280, 283851139, 44468795, 400219162, 75757, 681813, 0, 0,
  ],
  16,
);
/** xi^(4 (p - 1) / 6). */
export const FROBENIUS_4: usize = memory.data<i32>(
  [
    66150222, 206588898, 475262560, 163021323, 11282753, 184142554, 188741865, 399774288, 424617382,
    151818194, 340385912, 428349347, 207148146, 506075488, 532388967, 28860429, 2129928, 1513830, 0, 0,
  ],
  16,
);
/** xi^(5 (p - 1) / 6). */
export const FROBENIUS_5: usize = memory.data<i32>(
  [
    522325158, 341120284, 507686258, 77302985, 236498830, 289705450, 227637540, 26834105, 87307246, 58069417,
    379865497, 49295286, 276888732, 407561377, 248481400, 461029645, 1183382, 1287094, 0, 0,
  ],
  16,
);
/** b of the curve y^2 = x^3 + b, in both lanes. */
export const B: usize = memory.data<i32>(
  [
    293790785, 293790785, 262950273, 262950273, 605737, 605737, 196254236, 196254236, 9799094, 9799094,
    145363814, 145363814, 335320081, 335320081, 268860415, 268860415, 2124763, 2124763, 0, 0,
  ],
  16,
);
/** b of the twist. */
export const TWIST_B: usize = memory.data<i32>(
  [
    502107272, 467078279, 513561756, 64138242, 280869571, 379736762, 441140841, 15916953, 280461751,
    366873024, 68916646, 474886004, 410127553, 134602424, 235410513, 239221472, 271881, 322169, 0, 0,
  ],
  16,
);
/** Three times that. */
export const TWIST_B_3: usize = memory.data<i32>(
  [
    432579992, 327493013, 466943446, 192414728, 305737803, 65468462, 249680700, 47750861, 304514343, 26877248,
    206749939, 350916190, 156640835, 403807274, 169360629, 180793504, 815644, 966508, 0, 0,
  ],
  16,
);
/** Factor of the conjugate of x in the p-th power behind the twist. */
export const PSI_X: usize = memory.data<i32>(
  [
    358353130, 398158457, 7085400, 169483468, 267947737, 52333692, 98705148, 136051430, 532039441, 504788480,
    530692372, 388383367, 484672131, 484234970, 149194996, 110483504, 2109245, 742277, 0, 0,
  ],
  16,
);
/** Factor of the conjugate of y in the p-th power behind the twist. */
export const PSI_Y: usize = memory.data<i32>(
  [
    942843, 8485587, 219455641, 364488033, 344570651, 416781302, 97358710, 339357483, 410781836, 475811053,
    232715433, 483826167, 449105280, 283851139, 44468795, 400219162, 75757, 681813, 0, 0,
  ],
  16,
);
/** Bytes of a coordinate as contracts write it, padding included. */
export const WORD = 32;
/** Digits of the loop, the highest first. */
export const LOOP_DIGITS: usize = memory.data<i8>([
  0, -1, 0, 1, 0, 0, 0, -1, 0, -1, 0, 0, 0, -1, 0, 1, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0,
  -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, -1, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, -1, 0, 1, 0, 1, 0, 0, 0,
]);
/** Number of those elements. */
export const LOOP_DIGITS_COUNT = 65;
/** The highest digit of the parameter, of four bits. */
export const FIRST_POWER_DIGIT = 1;
/** The others, the highest first. */
export const POWER_DIGITS: usize = memory.data<i8>([
  0, 0, 0, 0, 0, 5, 0, 0, 0, 0, -3, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, -5, 0, 0, 0, -3, 0, 0, 0, 1, 0, 0, 0,
  0, 5, 0, 0, 0, 0, 7, 0, 0, 0, -7, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, -1, 0, 0, 0, 1,
]);
/** Number of those elements. */
export const POWER_DIGITS_COUNT = 62;
/** Contracts write b of a + b i first. */
export const IS_IMAGINARY_FIRST = true;
