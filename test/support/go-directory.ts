/**
 * The data directory of a Go node made of one of ours, in every shape that the Go node has: state trie in shards or not,
 * with the counters of live pruning or without, one database or many. Recorded ones are in `test/vectors/go-data`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes } from "../../node/bytes/compare.ts";
import { fixedBytes, integerBytes } from "../../node/bytes/integer.ts";
import {
  decodeRlp,
  encodeRlp,
  encodeRlpList,
  itemAt,
  listItems,
  type RlpItem,
} from "../../node/bytes/rlp.ts";
import { BlockRows } from "../../node/chain/block-rows.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import {
  bodyKey,
  canonicalKey,
  codeKey,
  configKey,
  directoryKey,
  HEAD_BLOCK,
  headerKey,
  numberKey,
  preimageKey,
  receiptsKey,
  supplyKey,
} from "../../node/go-data/keys.ts";
import { encodeHeader } from "../../node/model/header.ts";
import { EMPTY_TRIE_ROOT } from "../../node/model/list-root.ts";
import type { Receipt } from "../../node/model/receipt.ts";
import { recordOf } from "../../node/state/flat/flat-rows.ts";
import { readHead } from "../../node/state/rows.ts";
import { openChainStore } from "../../node/store/chain-store.ts";
import { openLevelStore } from "../../node/store/level-store.ts";
import type { Batch, Store } from "../../node/store/store.ts";
import { tables, trieTables } from "../../node/store/tables.ts";
import { optionsOf } from "./whole-directory.ts";

/** Shape of a Go node's databases. */
export interface GoShape {
  /** Shards of the state trie; 1 for none. */
  readonly shards: number;
  /** With the counters of live pruning. */
  readonly isCounted: boolean;
  /** All rows in one database. */
  readonly isSingle: boolean;
  /** Directory of the state trie. */
  readonly stateName: string;
}

const KINDS = ["misc", "header", "body", "receipts"] as const;
const STATE_ENTRY = 4;

/** Makes the directory `go` from the data directory `ours`, which no node uses. */
export async function makeGoDirectory(ours: string, go: string, shape: GoShape): Promise<void> {
  const { chainData } = optionsOf(ours).paths;
  await using chain = await openChainStore(join(chainData, "chain"));
  await using trie = await openLevelStore(join(chainData, "trie", "0"), { checksums: false });
  const chaindata = join(go, "klay", "chaindata");
  await mkdir(chaindata, { recursive: true });
  await writeFile(join(go, "klay", "LOCK"), "");
  await using target = await openTarget(chaindata, shape);
  const { put } = target;
  putBlocks(chain, put);
  if (shape.stateName !== "statetrie") put("misc", directoryKey(STATE_ENTRY), Buffer.from(shape.stateName));
  for await (const [key, code] of chain.entries(tables.code.range()))
    put("state", codeKey(key.subarray(1)), code);
  for await (const [key, preimage] of chain.entries(tables.preimage.range()))
    put("state", preimageKey(key.subarray(1)), preimage);
  for await (const [key, row] of chain.entries(tables.supply.range())) {
    const amounts = [row.subarray(0, 32), row.subarray(32)].map((each) =>
      integerBytes(BigInt(`0x${Buffer.from(each).toString("hex")}`)),
    );
    put("misc", supplyKey(Buffer.from(key).readUIntBE(1, 6)), encodeRlp(amounts));
  }
  await putNodes(trie, shape, put);
  await target.write();
}

type Kind = (typeof KINDS)[number] | "state";
type Put = (kind: Kind, key: Uint8Array, value: Uint8Array) => void;

interface Target extends AsyncDisposable {
  readonly put: Put;
  readonly write: () => Promise<void>;
}

async function openTarget(chaindata: string, { shards, isSingle, stateName }: GoShape): Promise<Target> {
  await using parts = new AsyncDisposableStack();
  const open = async (name: string): Promise<{ readonly store: Store; readonly batch: Batch }> => {
    await mkdir(join(chaindata, name), { recursive: true });
    const store = parts.use(await openLevelStore(join(chaindata, name), { checksums: false }));
    return { store, batch: store.createBatch() };
  };
  const shardNames =
    shards === 1 ? [stateName] : Array.from({ length: shards }, (_, i) => join(stateName, String(i)));
  const names: readonly string[] = isSingle ? [""] : [...KINDS, ...shardNames];
  const levels = new Map<string, Awaited<ReturnType<typeof open>>>();
  for (const name of names) levels.set(name, await open(name));
  const nameOf = (kind: Kind, key: Uint8Array): string => {
    if (isSingle) return "";
    return kind === "state" ? (shardNames[(key[0] ?? 0) % shards] ?? "") : kind;
  };
  const opened = parts.move();
  return {
    put: (kind, key, value) => levels.get(nameOf(kind, key))?.batch.put(key, value),
    write: async () => {
      for (const { store, batch } of levels.values()) await store.write(batch, { sync: false });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function putBlocks(chain: Store, put: Put): void {
  const rows = new BlockRows(chain);
  const head = readHead(chain).number;
  for (let number = 0; number <= head; number++) {
    const block = rows.block(number);
    if (block === undefined) throw new Error(`block ${number} is missing`);
    const { header, hash } = block;
    put("header", canonicalKey(number), hash);
    put("header", numberKey(hash), fixedBytes(number, 8));
    put("header", headerKey(number, hash), encodeHeader(header));
    put(
      "body",
      bodyKey(number, hash),
      encodeRlpList([encodeRlpList(block.transactions.map(({ raw }) => raw))]),
    );
    put("receipts", receiptsKey(number, hash), encodeRlp((rows.receipts(number) ?? []).map(storedReceipt)));
    if (number === 0) put("misc", configKey(hash), chain.get(tables.meta.key("config")) ?? new Uint8Array(0));
    if (number === head) put("header", HEAD_BLOCK, hash);
  }
}

/** Position of a log in the chain: here as if each were the first. */
const POSITION = [
  new Uint8Array(0),
  new Uint8Array(32),
  new Uint8Array(0),
  new Uint8Array(32),
  new Uint8Array(0),
];

function storedReceipt(receipt: Receipt): Parameters<typeof encodeRlp>[0] {
  const { status, bloom, transactionHash, contractAddress, logs, gasUsed } = receipt;
  return [
    integerBytes(status),
    bloom,
    transactionHash,
    contractAddress ?? new Uint8Array(20),
    logs.map(({ address, topics, data }) => [address, [...topics], data, ...POSITION]),
    integerBytes(gasUsed),
  ];
}

async function putNodes(trie: Store, { isCounted }: GoShape, put: Put): Promise<void> {
  const rootRow = trieTables.accountNode.key(new Uint8Array(0));
  for (const table of [trieTables.accountNode, trieTables.storageNode]) {
    for await (const [key, node] of trie.entries(table.range())) {
      const hash = keccak256(node);
      const isRoot = key.length === rootRow.length;
      if (isCounted) put("state", isRoot ? hash : countedReference(hash), countedNode(node));
      else put("state", hash, node);
    }
  }
}

/** A reference with a counter, here one that follows from the hash. */
function countedReference(hash: Uint8Array): Uint8Array {
  return concatBytes(hash, keccak256(hash).subarray(0, 7));
}

function countedNode(node: Uint8Array): Uint8Array {
  const items = listItems(decodeRlp(node));
  const [head, second] = items;
  if (
    items.length === 2 &&
    head !== undefined &&
    second !== undefined &&
    ((head.payload[0] ?? 0) & 0x20) !== 0
  )
    return encodeRlp([head.payload, countedAccount(second.payload)]);
  return encodeRlpList(items.map((item, i) => (i === 0 && items.length === 2 ? item.raw : addCounter(item))));
}

function addCounter(item: RlpItem): Uint8Array {
  return item.isList || item.payload.length !== 32 ? item.raw : encodeRlp(countedReference(item.payload));
}

/** An account whose storage root has a counter; slots and accounts without storage as they are. */
function countedAccount(value: Uint8Array): Uint8Array {
  if (value.length <= 65 || (value[1] ?? 0) < 0xc0) return value;
  const items = listItems(itemAt(value, 1));
  if (items[0]?.isList !== true || Buffer.compare(items[1]?.payload ?? value, EMPTY_TRIE_ROOT) === 0)
    return value;
  const list = encodeRlpList(items.map((item, i) => (i === 1 ? addCounter(item) : item.raw)));
  return concatBytes(value.subarray(0, 1), list);
}

/**
 * Returns the rows of a chain and its newest state, by key and without the numbers of storages: what an import makes. Code
 * and slots of destroyed accounts, which a replay leaves behind for a while, are not among them.
 */
export async function importedRows(datadir: string): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  await using chain = await openChainStore(join(optionsOf(datadir).paths.chainData, "chain"));
  const { header, body, receipts, blockNumber, lookup, code, account, slot, supply, staking } = tables;
  for (const table of [header, body, receipts, blockNumber, lookup, supply, staking])
    for await (const [key, value] of chain.entries(table.range())) rows.set(hex(key), hex(value));
  const live = new Set<string>();
  const addPreimage = (hash: Uint8Array): void => {
    const key = tables.preimage.key(hash);
    rows.set(hex(key), hex(chain.get(key) ?? new Uint8Array(0)));
  };
  for await (const [key, flat] of chain.entries(account.range())) {
    const record = recordOf(key.subarray(1), flat);
    rows.set(hex(key), JSON.stringify(record.account, hexValue));
    addPreimage(key.subarray(1));
    live.add(hex(concatBytes(key.subarray(1), fixedBytes(record.incarnation, 6))));
    const codeRowKey = code.key(record.account?.codeHash ?? new Uint8Array(0));
    const codeRow = chain.get(codeRowKey);
    if (codeRow !== undefined) rows.set(hex(codeRowKey), hex(codeRow));
  }
  for await (const [key, value] of chain.entries(slot.range()))
    if (live.has(hex(key.subarray(1, 39)))) {
      rows.set(hex(key.subarray(0, 33)) + hex(key.subarray(39)), hex(value));
      addPreimage(key.subarray(39));
    }
  for (const name of ["schema", "genesis", "config", "governance", "bodies"] as const)
    rows.set(name, hex(chain.get(tables.meta.key(name)) ?? new Uint8Array(0)));
  return rows;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function hexValue(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? hex(value) : value;
}
