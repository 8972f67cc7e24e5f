/** `debug`: dumps and comparisons of states. They run in reader threads. */
import type { Address } from "../bytes/brands.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import {
  type BlockNumber,
  type BlockReference,
  blockNumber,
  blockReference,
  referencedNumber,
  resolveNumber,
} from "../calls/arguments/block-number.ts";
import type { OpenStoreReading, StoreReading } from "../calls/chain-reading.ts";
import {
  type DumpedAccount,
  type DumpedAccounts,
  dumpAccounts,
  type StorageRange,
  slotsWith,
  storagePage,
} from "../calls/state-dump.ts";
import { slotsBefore } from "../calls/traces/trace-transaction.ts";
import { tracedBlock } from "../calls/traces/traced-blocks.ts";
import { type DumpedNode, dumpTries } from "../calls/trie-dump.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, data, hash } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, signed } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, mapSchema, nullableSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import { blockText, unsignedBlockText } from "../presenters/not-found.ts";
import { modifiedAccounts, modifiedSlots } from "../state/history/modified-rows.ts";
import type { StorageOwners } from "./proofs.ts";

/** Dependencies of the methods about states. */
export interface DebugStateDeps {
  readonly open: OpenStoreReading;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
  readonly storageOf: StorageOwners;
}

const DEADLINE_MS = 60_000;
const reader = {
  runs: "reader",
  expires: { afterMs: DEADLINE_MS, message: "query timeout exceeded" },
} as const;
/** Size of a slot in a result, in bytes. */
const SLOT_BYTES = 230;

const { text, integer: integerSchema } = plainSchemas;
const dumpSchema = recordSchema({
  root: text,
  accounts: mapSchema(
    "account by address",
    recordSchema<DumpedAccount>({
      balance: text,
      nonce: integerSchema,
      root: text,
      codeHash: text,
      code: text,
      storage: mapSchema("RLP of a value by slot", text),
    }),
  ),
});
const rangeSchema = recordSchema<StorageRange>({
  storage: mapSchema(
    "slot by hash of its key",
    recordSchema({ key: nullableSchema(hash.schema), value: hash.schema }),
  ),
  nextKey: nullableSchema(hash.schema),
});
const triesSchema = recordSchema({
  root: hash.schema,
  tries: arraySchema(
    recordSchema<DumpedNode>({
      type: { enum: ["state", "state_leaf", "storage", "storage_leaf", "code"] },
      hash: hash.schema,
      parent: hash.schema,
      path: text,
    }),
  ),
});

/** The methods; the node registers them and its reader threads serve them. */
export function debugStateMethods(deps: DebugStateDeps): Method[] {
  return [...dumpMethods(deps), ...modifiedMethods(deps)];
}

function dumpMethods({ open, maxBytes }: DebugStateDeps): Method[] {
  return [
    trieDump({ open, maxBytes }),
    method({
      name: "debug_dumpBlock",
      summary:
        "Returns all accounts after a block, with code and slots. Fails when they exceed the maximum size of a result.",
      params: { block: blockReference },
      result: plain<{ readonly root: string; readonly accounts: DumpedAccounts }>(
        "{root, accounts}",
        dumpSchema,
      ),
      ...reader,
      handle: async ({ block }) => {
        using reading = open();
        const number = blockNumberOf(reading, block, "#");
        const root = bareHex(tracedBlock(reading, number).header.stateRoot);
        return { root, accounts: await dumpAccounts(reading.states, number, maxBytes) };
      },
    }),
    method({
      name: "debug_preimage",
      summary: "Returns the address or slot key with a hash, if the node stores it.",
      privilege: "process",
      params: { hash },
      result: data,
      ...reader,
      handle: (args) => {
        using reading = open();
        const found = reading.states.preimage(args.hash);
        if (found === undefined) throw failure("unknown preimage");
        return found;
      },
    }),
    method({
      name: "debug_storageRangeAt",
      summary:
        "Returns slots of an account before a transaction of a block, ordered by hash, from a start hash.",
      privilege: "process",
      params: { block: hash, index: signed, address, start: data, max: signed },
      result: plain<StorageRange>("{storage, nextKey}", rangeSchema),
      ...reader,
      handle: async (question) => {
        using reading = open();
        return await slotsAt(reading, question, Math.floor(maxBytes / SLOT_BYTES));
      },
    }),
  ];
}

function trieDump({ open, maxBytes }: Pick<DebugStateDeps, "open" | "maxBytes">): Method {
  return method({
    name: "debug_dumpStateTrie",
    summary:
      "Returns all nodes of the state's tries after a block. Fails when they exceed the maximum size of a result.",
    params: { block: blockReference },
    result: plain<{ readonly root: string; readonly tries: readonly DumpedNode[] }>(
      "{root, tries}",
      triesSchema,
    ),
    ...reader,
    handle: async ({ block }) => {
      using reading = open();
      const number = dumpedNumber(reading, block);
      const root = toHex(tracedBlock(reading, number).header.stateRoot);
      return { root, tries: await dumpTries(reading.states, number, maxBytes) };
    },
  });
}

/** Returns the number of the block of a trie dump. Throws `RpcError`. */
function dumpedNumber(reading: StoreReading, block: BlockReference | undefined): number {
  const wanted = block?.hash;
  const isUnknown = block === undefined || (wanted !== undefined && reading.numberOf(wanted) === undefined);
  if (isUnknown) throw failure(`block #${wanted === undefined ? "" : toHex(wanted)} not found`);
  return blockNumberOf(reading, block, "##");
}

/** Returns the number of a block. Throws the `RpcError` of the Go node for an absent one, which it writes with a mark. */
function blockNumberOf(reading: StoreReading, block: BlockReference | undefined, mark: string): number {
  const { number } = block ?? {};
  if (typeof number === "number" && number > reading.head)
    throw failure(`block ${mark}${blockText(number)} not found`);
  return referencedNumber(reading, block);
}

/** Returns the digits of a `signed`, of which the largest ones are rounded up to 2^63. */
function intText(value: number): string {
  return value >= 2 ** 63 ? "9223372036854775807" : String(BigInt(value));
}

interface SlotsQuery {
  readonly block: Uint8Array;
  readonly index: number;
  readonly address: Address;
  readonly start: Uint8Array;
  readonly max: number;
}

async function slotsAt(reading: StoreReading, question: SlotsQuery, most: number): Promise<StorageRange> {
  const number = reading.numberOf(question.block);
  if (number === undefined) throw failure(`block ${bareHex(question.block)} not found`);
  const block = tracedBlock(reading, number);
  if (number === 0) throw failure("no transaction in genesis");
  const { index, start } = question;
  if (index < 0 || index >= Math.max(1, block.transactions.length)) {
    throw failure(`transaction index ${intText(index)} out of range for block ${bareHex(question.block)}`);
  }
  const changed = slotsBefore(reading, block, question);
  const isThere = reading.states.view(number - 1).account(question.address) !== undefined || changed.size > 0;
  if (!isThere) throw failure(`account ${bareHex(question.address)} doesn't exist`);
  const slots = slotsWith(reading.states.slots(number - 1, question.address, start), changed, start);
  return await storagePage(slots, Math.min(question.max, most));
}

function modifiedMethods({ open, storageOf }: DebugStateDeps): Method[] {
  const result = plain<readonly string[] | null>("address[]", nullableSchema(arraySchema(address.schema)));
  const accountsIn = async (
    spanOf: (reading: StoreReading) => { readonly first: number; readonly last: number },
  ): Promise<string[] | null> => {
    using reading = open();
    const found = await modifiedAccounts(reading.rows, reading.states, spanOf(reading));
    return found.length === 0 ? null : found.map(toHex); // Go's list of nothing
  };
  return [
    method({
      name: "debug_getModifiedAccountsByNumber",
      summary: "Returns the accounts that a block, or a range of blocks after the first, changed.",
      params: { start: blockNumber, end: optional(blockNumber) },
      result,
      ...reader,
      handle: ({ start, end }) => accountsIn((reading) => spanByNumber(reading, start, end)),
    }),
    method({
      name: "debug_getModifiedAccountsByHash",
      summary: "Returns the accounts that a block, or a range of blocks after the first, changed.",
      params: { start: hash, end: optional(hash) },
      result,
      ...reader,
      handle: ({ start, end }) => accountsIn((reading) => spanByHash(reading, start, end)),
    }),
    method({
      name: "debug_getModifiedStorageNodesByNumber",
      summary:
        "Returns the number of slots of a contract that a block, or a range of blocks after the first, changed. Deleted slots do not count.",
      params: { address, start: blockNumber, end: optional(blockNumber), detail: optional(boolean) },
      result: plain<number>("integer", integerSchema),
      ...reader,
      handle: async (args) => {
        using reading = open();
        const span = spanByNumber(reading, args.start, args.end);
        for (const number of [span.first, span.last]) checkStorage(reading, args.address, number, storageOf);
        return await modifiedSlots(reading.states, args.address, span);
      },
    }),
  ];
}

/** Checks that an account with storage exists. Throws `RpcError`. */
function checkStorage(reading: StoreReading, owner: Address, number: number, storageOf: StorageOwners): void {
  const account = reading.states.view(number).account(owner);
  if (account === undefined) throw failure("there is no account corresponding to the given address");
  if (storageOf === "contracts" && account.kind !== "contract")
    throw failure("given address is not a contract address");
}

function spanByNumber(
  reading: StoreReading,
  start: BlockNumber,
  end: BlockNumber | undefined,
): { first: number; last: number } {
  const number = resolveNumber(reading.head, start);
  if (number > reading.head) throw failure(`start block number #${unsignedBlockText(number)} not found`);
  if (end === undefined) {
    if (number === 0) throw failure(`block number #${number} has no parent`);
    return { first: number - 1, last: number };
  }
  const last = resolveNumber(reading.head, end);
  if (last > reading.head) throw failure(`end block number #${unsignedBlockText(last)} not found`);
  return checkedSpan(number, last);
}

function spanByHash(
  reading: StoreReading,
  start: Uint8Array,
  end: Uint8Array | undefined,
): { first: number; last: number } {
  const number = reading.numberOf(start);
  if (number === undefined) throw failure(`start block ${bareHex(start)} not found`);
  if (end === undefined) {
    if (number === 0) throw failure(`block ${bareHex(start)} has no parent`);
    return { first: number - 1, last: number };
  }
  const last = reading.numberOf(end);
  if (last === undefined) throw failure(`end block ${bareHex(end)} not found`);
  return { first: number, last };
}

function checkedSpan(first: number, last: number): { first: number; last: number } {
  if (first < last) return { first, last };
  throw failure(`start block height (${first}) must be less than end block height (${last})`);
}
