/**
 * The opcode table: name, number, stack effect, static gas and computation cost of every opcode by revision.
 */
import type { EvmRevision } from "../config/rule-facts.ts";

/** A number that changes with revisions; each value holds until a later revision replaces it. */
export type ByRevision =
  | number
  | ({ readonly base: number } & Readonly<Partial<Record<EvmRevision, number>>>);

/** One row of the opcode table. */
export interface Opcode {
  readonly name: string;
  readonly number: number;
  /** Words that the opcode needs on the stack and removes. */
  readonly takes: number;
  /** Words that the opcode pushes. */
  readonly leaves: number;
  /** Static gas. */
  readonly gas: ByRevision;
  /** Computation cost (`params/computation_cost_params.go@v2.2.2`). */
  readonly cost: ByRevision;
  readonly since: EvmRevision;
  /** True when the opcode also has dynamic gas. */
  readonly isDynamic: boolean;
}

type Marks = Partial<Pick<Opcode, "since" | "isDynamic">>;
type Row = readonly [
  name: string,
  number: number,
  takes: number,
  leaves: number,
  gas: ByRevision,
  cost: ByRevision,
  marks?: Marks,
];

const dynamic: Marks = { isDynamic: true };

const arithmetic: readonly Row[] = [
  ["STOP", 0x00, 0, 0, 0, 0],
  ["ADD", 0x01, 2, 1, 3, 150],
  ["MUL", 0x02, 2, 1, 5, 200],
  ["SUB", 0x03, 2, 1, 3, 219],
  ["DIV", 0x04, 2, 1, 5, 404],
  ["SDIV", 0x05, 2, 1, 5, { base: 739, cancun: 360 }],
  ["MOD", 0x06, 2, 1, 5, { base: 812, cancun: 320 }],
  ["SMOD", 0x07, 2, 1, 5, 560],
  ["ADDMOD", 0x08, 3, 1, 8, { base: 3349, istanbul: 1410, cancun: 360 }],
  ["MULMOD", 0x09, 3, 1, 8, { base: 4757, istanbul: 1760, cancun: 700 }],
  ["EXP", 0x0a, 2, 1, 0, { base: 5000, cancun: 720 }, dynamic],
  ["SIGNEXTEND", 0x0b, 2, 1, 5, 481],
  ["LT", 0x10, 2, 1, 3, 201],
  ["GT", 0x11, 2, 1, 3, 264],
  ["SLT", 0x12, 2, 1, 3, 176],
  ["SGT", 0x13, 2, 1, 3, 222],
  ["EQ", 0x14, 2, 1, 3, 220],
  ["ISZERO", 0x15, 1, 1, 3, 165],
  ["AND", 0x16, 2, 1, 3, 288],
  ["OR", 0x17, 2, 1, 3, 160],
  ["XOR", 0x18, 2, 1, 3, { base: 657, istanbul: 454 }],
  ["NOT", 0x19, 1, 1, 3, { base: 1289, istanbul: 364 }],
  ["BYTE", 0x1a, 2, 1, 3, 589],
  ["SHL", 0x1b, 2, 1, 3, { base: 1603, istanbul: 478 }],
  ["SHR", 0x1c, 2, 1, 3, { base: 1346, istanbul: 498 }],
  ["SAR", 0x1d, 2, 1, 3, { base: 1815, istanbul: 834 }],
  ["CLZ", 0x1e, 1, 1, 5, 0, { since: "osaka" }],
  ["SHA3", 0x20, 2, 1, 30, { base: 2465, cancun: 560 }, dynamic],
];

const context: readonly Row[] = [
  ["ADDRESS", 0x30, 0, 1, 2, 284],
  ["BALANCE", 0x31, 1, 1, { base: 400, istanbul: 700, kore: 100 }, 1407, dynamic],
  ["ORIGIN", 0x32, 0, 1, 2, 210],
  ["CALLER", 0x33, 0, 1, 2, 188],
  ["CALLVALUE", 0x34, 0, 1, 2, 149],
  ["CALLDATALOAD", 0x35, 1, 1, 3, 596],
  ["CALLDATASIZE", 0x36, 0, 1, 2, 194],
  ["CALLDATACOPY", 0x37, 3, 0, 3, 100, dynamic],
  ["CODESIZE", 0x38, 0, 1, 2, 145],
  ["CODECOPY", 0x39, 3, 0, 3, 898, dynamic],
  ["GASPRICE", 0x3a, 0, 1, 2, 131],
  ["EXTCODESIZE", 0x3b, 1, 1, { base: 700, kore: 100 }, 1481, dynamic],
  ["EXTCODECOPY", 0x3c, 4, 0, { base: 700, kore: 100 }, 1000, dynamic],
  ["RETURNDATASIZE", 0x3d, 0, 1, 2, 10],
  ["RETURNDATACOPY", 0x3e, 3, 0, 3, 40, dynamic],
  ["EXTCODEHASH", 0x3f, 1, 1, { base: 400, istanbul: 700, kore: 100 }, 1000, dynamic],
  ["BLOCKHASH", 0x40, 1, 1, 20, 500],
  ["COINBASE", 0x41, 0, 1, 2, 189],
  ["TIMESTAMP", 0x42, 0, 1, 2, 265],
  ["NUMBER", 0x43, 0, 1, 2, 202],
  ["DIFFICULTY", 0x44, 0, 1, 2, { base: 180, kore: 1498 }],
  ["GASLIMIT", 0x45, 0, 1, 2, 166],
  ["CHAINID", 0x46, 0, 1, 2, 120, { since: "istanbul" }],
  ["SELFBALANCE", 0x47, 0, 1, 5, 374, { since: "istanbul" }],
  ["BASEFEE", 0x48, 0, 1, 2, 198, { since: "london" }],
  ["BLOBHASH", 0x49, 1, 1, 3, 165, { since: "cancun" }],
  ["BLOBBASEFEE", 0x4a, 0, 1, 2, 120, { since: "cancun" }],
];

const machine: readonly Row[] = [
  ["POP", 0x50, 1, 0, 2, 140],
  ["MLOAD", 0x51, 1, 1, 3, 376, dynamic],
  ["MSTORE", 0x52, 2, 0, 3, 288, dynamic],
  ["MSTORE8", 0x53, 2, 0, 3, { base: 5142, cancun: 230 }, dynamic],
  ["SLOAD", 0x54, 1, 1, { base: 200, istanbul: 800, kore: 0 }, { base: 835, cancun: 2550 }, dynamic],
  ["SSTORE", 0x55, 2, 0, 0, { base: 1548, cancun: 2510 }, dynamic],
  ["JUMP", 0x56, 1, 0, 8, 253],
  ["JUMPI", 0x57, 2, 0, 10, 176],
  ["PC", 0x58, 0, 1, 2, 147],
  ["MSIZE", 0x59, 0, 1, 2, 137],
  ["GAS", 0x5a, 0, 1, 2, 230],
  ["JUMPDEST", 0x5b, 0, 0, 1, 10],
  ["TLOAD", 0x5c, 1, 1, 100, 220, { since: "cancun" }],
  ["TSTORE", 0x5d, 2, 0, 100, 280, { since: "cancun" }],
  ["MCOPY", 0x5e, 3, 0, 3, 250, { since: "cancun", isDynamic: true }],
  ["PUSH0", 0x5f, 0, 1, 2, 80, { since: "shanghai" }],
];

const frames: readonly Row[] = [
  ["CREATE", 0xf0, 3, 1, 32_000, 2094, dynamic],
  ["CALL", 0xf1, 7, 1, { base: 700, kore: 100 }, 5000, dynamic],
  ["CALLCODE", 0xf2, 7, 1, { base: 700, kore: 100 }, 4000, dynamic],
  ["RETURN", 0xf3, 2, 0, 0, 0, dynamic],
  ["DELEGATECALL", 0xf4, 6, 1, { base: 700, kore: 100 }, 696, dynamic],
  ["CREATE2", 0xf5, 4, 1, 32_000, 10_000, dynamic],
  ["STATICCALL", 0xfa, 6, 1, { base: 700, kore: 100 }, 10_000, dynamic],
  ["REVERT", 0xfd, 2, 0, 0, 0, dynamic],
  ["SELFDESTRUCT", 0xff, 1, 0, { base: 0, kore: 5000 }, 0, dynamic],
];

const DUP_COSTS = [190, 190, 176, 142, 177, 165, 147, 157, 138, 174, 141, 144, 157, 143, 237, 149];
const SWAP_COSTS = [141, 156, 145, 135, 115, 146, 199, 130, 160, 134, 147, 128, 121, 114, 197, 128];

const pushes: readonly Row[] = Array.from({ length: 32 }, (_, i) => [`PUSH${i + 1}`, 0x60 + i, 0, 1, 3, 120]);
const dups: readonly Row[] = DUP_COSTS.map((cost, i) => [`DUP${i + 1}`, 0x80 + i, i + 1, i + 2, 3, cost]);
const swaps: readonly Row[] = SWAP_COSTS.map((cost, i) => [`SWAP${i + 1}`, 0x90 + i, i + 2, i + 2, 3, cost]);
const logs: readonly Row[] = Array.from({ length: 5 }, (_, i) => {
  const cost: ByRevision = i === 0 ? 100 : { base: 1000, cancun: 500 };
  return [`LOG${i}`, 0xa0 + i, i + 2, 0, 0, cost, dynamic];
});

/** All opcodes in ascending order. */
export const opcodes: readonly Opcode[] = [
  ...arithmetic,
  ...context,
  ...machine,
  ...pushes,
  ...dups,
  ...swaps,
  ...logs,
  ...frames,
].map(([name, number, takes, leaves, gas, cost, marks = {}]) => {
  const { since = "base", isDynamic = false } = marks;
  return { name, number, takes, leaves, gas, cost, since, isDynamic };
});
