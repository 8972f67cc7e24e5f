/** What a revision's opcodes need and cost, as tables that the loop reads by opcode number. */
import { EVM_REVISIONS, type EvmRevision, isRevisionSince } from "../config/rule-facts.ts";
import { type ByRevision, opcodes } from "./opcodes.ts";

/** The most words on a stack. */
export const STACK_LIMIT = 1024;

/** More words than there ever are: what an opcode needs that may not run. */
export const NEVER = 0xffff;

/** Tables of 256, and the facts behind gas that depends on words or state. */
export interface RevisionTables {
  readonly gas: Float64Array;
  readonly cost: Float64Array;
  /** Words that must be there; `NEVER` for what is no opcode. */
  readonly need: Uint16Array;
  /** Words that may at most be there. */
  readonly most: Uint16Array;
  readonly isDynamic: Uint8Array;
  readonly schedule: GasSchedule;
}

/** How gas is counted where the state matters (execution.md 5.3). */
export interface GasSchedule {
  /** What was met before is cheaper (EIP-2929). */
  readonly warmth: boolean;
  /** EXTCODEHASH looks at neither warmth nor empty accounts' hash (EIP-1052). */
  readonly plainCodeHash: boolean;
  /** Writes are measured against the value at the transaction's start (EIP-2200). */
  readonly netStorage: boolean;
  /** For clearing a slot. */
  readonly clearRefund: number;
  readonly destroyRefund: number;
  /** Only what this transaction created is destroyed (EIP-6780). */
  readonly destroysNewOnly: boolean;
  /** Opcode 0x44 answers a random number. */
  readonly random: boolean;
  /** Contracts over accounts that have but a balance (EIP-7610 and earlier). */
  readonly createsOverBalance: boolean;
  /** Code may not begin with 0xef: `reported` stores it all the same (execution.md 5.6). */
  readonly efCode: "allowed" | "reported" | "refused";
}

const known = new Map<EvmRevision, RevisionTables>();

/** The tables of a revision, built once. */
export function tablesOf(revision: EvmRevision): RevisionTables {
  let tables = known.get(revision);
  if (tables === undefined) {
    tables = createTables(revision);
    known.set(revision, tables);
  }
  return tables;
}

/** The value in force. */
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
    need: new Uint16Array(256).fill(NEVER),
    most: new Uint16Array(256).fill(STACK_LIMIT),
    isDynamic: new Uint8Array(256),
    schedule: scheduleOf(revision),
  };
  for (const { number, takes, leaves, gas, cost, since, isDynamic } of opcodes) {
    if (!isRevisionSince(revision, since)) continue;
    tables.gas[number] = valueAt(gas, revision);
    tables.cost[number] = valueAt(cost, revision);
    tables.need[number] = takes;
    tables.most[number] = STACK_LIMIT + takes - leaves;
    tables.isDynamic[number] = isDynamic ? 1 : 0;
  }
  return tables;
}

function scheduleOf(revision: EvmRevision): GasSchedule {
  const since = (first: EvmRevision): boolean => isRevisionSince(revision, first);
  return {
    warmth: since("kore"),
    plainCodeHash: since("cancun"),
    netStorage: since("istanbul"),
    clearRefund: since("kore") ? 4800 : 15_000,
    destroyRefund: since("kore") ? 0 : 24_000,
    destroysNewOnly: since("cancun"),
    random: since("kore"),
    createsOverBalance: since("shanghai"),
    efCode: since("prague") ? "refused" : since("kore") ? "reported" : "allowed",
  };
}
