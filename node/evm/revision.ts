/**
 * Tables of a revision's opcodes, indexed by opcode number, for the interpreter loop; the counterpart of
 * `blockchain/vm/jump_table.go@v2.2.2`.
 */
import { EVM_REVISIONS, type EvmRevision, isRevisionSince, type RuleFacts } from "../config/rule-facts.ts";
import { type ByRevision, opcodes } from "./opcodes.ts";

/** Upper bound of words on a stack. */
export const STACK_LIMIT = 1024;

/** More words than a stack ever has: the minimum for an opcode that the revision lacks. */
export const NEVER = 0xffff;

/** Tables of 256 entries, and the rules of gas that depends on operands or state. */
export interface RevisionTables {
  readonly gas: Float64Array;
  readonly cost: Float64Array;
  /** Minimum of words on the stack; `NEVER` for an undefined opcode. */
  readonly minStack: Uint16Array;
  /** Maximum of words on the stack. */
  readonly maxStack: Uint16Array;
  readonly isDynamic: Uint8Array;
  readonly schedule: GasSchedule;
}

/** Rules of gas and creation that depend on the state. */
export interface GasSchedule {
  /** Access to warm addresses and slots is cheaper (EIP-2929). */
  readonly warmth: boolean;
  /** EXTCODEHASH returns zero for empty accounts (EIP-1052). */
  readonly emptyHashIsZero: boolean;
  /** SSTORE is measured against the value at the start of the transaction (EIP-2200). */
  readonly netStorage: boolean;
  /** Refund for a cleared slot. */
  readonly clearRefund: number;
  readonly destroyRefund: number;
  /** SELFDESTRUCT destroys only contracts created in the same transaction (EIP-6780). */
  readonly destroysNewOnly: boolean;
  /** Opcode 0x44 returns a random number (PREVRANDAO). */
  readonly random: boolean;
  /** A contract may be created at an account that has only a balance (EIP-7610 and earlier). */
  readonly createsOverBalance: boolean;
  /**
   * Code that begins with 0xef (EIP-3541): `reported` stores it and fails the creation all the same, as
   * `blockchain/vm/evm.go@v2.2.2` does.
   */
  readonly efCode: "allowed" | "reported" | "refused";
}

/** Facts of the rules that the tables depend on. */
export type TableFacts = Pick<RuleFacts, "evm" | "plainCodeHash">;

const tablesWithWarmHash = new Map<EvmRevision, RevisionTables>();
const tablesWithPlainHash = new Map<EvmRevision, RevisionTables>();

const EXTCODEHASH = 0x3f;
const PLAIN_HASH_GAS = 400;

/** Returns the tables of a revision, built once. */
export function tablesOf({ evm, plainCodeHash }: TableFacts): RevisionTables {
  const built = plainCodeHash ? tablesWithPlainHash : tablesWithWarmHash;
  let tables = built.get(evm);
  if (tables === undefined) {
    tables = createTables(evm);
    if (plainCodeHash) tables.gas[EXTCODEHASH] = PLAIN_HASH_GAS;
    built.set(evm, tables);
  }
  return tables;
}

/** Returns the value in force at a revision. */
function valueAt(values: ByRevision, revision: EvmRevision): number {
  if (typeof values === "number") return values;
  let value = values.base;
  for (const each of EVM_REVISIONS) {
    value = values[each] ?? value;
    if (each === revision) break;
  }
  return value;
}

function createTables(revision: EvmRevision): RevisionTables {
  const tables: RevisionTables = {
    gas: new Float64Array(256),
    cost: new Float64Array(256),
    minStack: new Uint16Array(256).fill(NEVER),
    maxStack: new Uint16Array(256).fill(STACK_LIMIT),
    isDynamic: new Uint8Array(256),
    schedule: scheduleOf(revision),
  };
  for (const { number, takes, leaves, gas, cost, since, isDynamic } of opcodes) {
    if (!isRevisionSince(revision, since)) continue;
    tables.gas[number] = valueAt(gas, revision);
    tables.cost[number] = valueAt(cost, revision);
    tables.minStack[number] = takes;
    tables.maxStack[number] = STACK_LIMIT + takes - leaves;
    tables.isDynamic[number] = isDynamic ? 1 : 0;
  }
  return tables;
}

function scheduleOf(revision: EvmRevision): GasSchedule {
  const since = (first: EvmRevision): boolean => isRevisionSince(revision, first);
  return {
    warmth: since("kore"),
    emptyHashIsZero: since("cancun"),
    netStorage: since("istanbul"),
    clearRefund: since("kore") ? 4800 : 15_000,
    destroyRefund: since("kore") ? 0 : 24_000,
    destroysNewOnly: since("cancun"),
    random: since("kore"),
    createsOverBalance: since("shanghai"),
    efCode: since("prague") ? "refused" : since("kore") ? "reported" : "allowed",
  };
}
