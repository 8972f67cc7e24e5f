/**
 * Rows that a Go node has derived from its states and that no hash proves: the stakes that blocks before the Kaia fork
 * refer to, and the sums of the supply. Their states are gone, so they are taken as they are.
 */
import type { Address } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import { fromHex } from "../bytes/hex.ts";
import { bytesToBigint, bytesToNumber } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeRlp, listItems, stringBytes } from "../bytes/rlp.ts";
import { putSupply, SUPPLY_INTERVAL } from "../chain/supply.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { parseExactJson } from "../config/exact-json.ts";
import { rulesAt } from "../config/rules.ts";
import { noStaking, type StakedNode, type StakingInfo, stakingSource } from "../governance/staking.ts";
import { encodeStaking } from "../governance/staking-contracts.ts";
import { decodeAccount } from "../model/account.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import type { GoHead } from "./blocks.ts";
import type { GoDatabases } from "./databases.ts";
import { GoDataError } from "./error.ts";
import { stakingKey, supplyRange } from "./keys.ts";
import { plainAccount } from "./trie-node.ts";
import { GoTrieWalk } from "./trie-walk.ts";

/** Value of `istanbul.policy` under which stakes decide who may propose. */
const WEIGHTED_POLICY = 2;
const NUMBER_BYTES = 8;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Adds the stakes that the Go node has stored up to a block. Throws `GoDataError` `missing` when stakes are not there that
 * the next blocks need, `damaged` for what is no stakes.
 */
export function putStakes(batch: Batch, misc: GoDatabases["misc"], config: ChainConfig, head: number): void {
  const interval = config.governance.reward.stakingUpdateInterval;
  if (interval <= 0) return;
  const isStored = (source: number): boolean => !rulesAt(config, source + 1).readsNewestStakes;
  for (let source = 0; source <= head && isStored(source); source += interval) {
    const row = misc.get(stakingKey(source));
    if (row === undefined) {
      if (isNeeded(config, source, head)) throw missingStakes(source);
      continue;
    }
    const info = readStakes(source, row);
    if (info.kef !== undefined) batch.put(tables.staking.key(source), encodeStaking(info));
  }
}

/** True for stakes that blocks after the head refer to, and whose state will not be there. */
function isNeeded(config: ChainConfig, source: number, head: number): boolean {
  if (config.istanbul.policy !== WEIGHTED_POLICY || source === head) return false;
  const interval = config.governance.reward.stakingUpdateInterval;
  const newest = rulesAt(config, head + 1).readsNewestStakes;
  return !newest && source >= stakingSource(head + 1, { newest, interval });
}

function missingStakes(source: number): GoDataError {
  return new GoDataError(
    "missing",
    `the stakes after block ${source} are not in the databases, and the next blocks need them`,
  );
}

/** Reads the JSON of stakes (`kaiax/staking/staking_info.go@v2.2.2`, `StakingInfoLegacy`). */
function readStakes(source: number, row: Uint8Array): StakingInfo {
  try {
    return parseStakes(source, Buffer.from(row).toString("utf8"));
  } catch (cause) {
    throw new GoDataError("damaged", `the stakes after block ${source}: ${messageOf(cause)}`, { cause });
  }
}

/** Names of members in the order in which the Go node takes them; it reads them in any case of letters. */
const KEF_NAMES = ["kefaddr", "kcfaddr", "kiraddr"];
const KIF_NAMES = ["kifaddr", "kffaddr", "pocaddr"];

function parseStakes(source: number, text: string): StakingInfo {
  const json = parseExactJson(text);
  if (typeof json !== "object" || json === null) throw new TypeError("no object");
  const members = new Map(
    Object.entries(json).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  const fund = (names: readonly string[]): Address | undefined =>
    names.map((name) => optionalAddress(members.get(name))).find((address) => address !== undefined);
  const [kef, kif] = [fund(KEF_NAMES), fund(KIF_NAMES)];
  if (kef === undefined || kif === undefined) return noStaking(source);
  return { source, nodes: readNodes(members), kef, kif, kpf: fund(["kpfaddr"]), pools: [] };
}

function readNodes(members: ReadonlyMap<string, unknown>): readonly StakedNode[] {
  const [nodes, contracts, rewards, amounts] = [
    "councilnodeaddrs",
    "councilstakingaddrs",
    "councilrewardaddrs",
    "councilstakingamounts",
  ].map((name) => listOf(members.get(name)));
  return (nodes ?? []).map((node, i) => ({
    node: requireAddress(node),
    stakingContract: requireAddress(contracts?.[i]),
    reward: requireAddress(rewards?.[i]),
    amount: requireInteger(amounts?.[i]),
  }));
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value;
}

function requireAddress(value: unknown): Address {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) throw new TypeError("no address");
  return fromHex(value);
}

function optionalAddress(value: unknown): Address | undefined {
  if (value === undefined || value === null) return undefined;
  const address = requireAddress(value);
  return isZero(address) ? undefined : address;
}

function requireInteger(value: unknown): bigint {
  if ((typeof value !== "number" && typeof value !== "bigint") || value < 0) throw new TypeError("no amount");
  return BigInt(value);
}

/** Block 0, and the number of the newest block. */
interface SupplyRange {
  readonly genesis: GoHead;
  readonly head: number;
}

/**
 * Writes the sums of the supply up to a block, as far as they are there without a gap from block 0 on. Klaytn had none: then
 * that of block 0 is added up from its state, where it is stored, and a node adds up the others from the receipts.
 */
export async function importSupply(
  store: Store,
  { misc, state }: Pick<GoDatabases, "misc" | "state">,
  { genesis, head }: SupplyRange,
): Promise<void> {
  let batch = store.createBatch();
  let next = 0;
  for await (const [key, row] of misc.entries(supplyRange())) {
    const number = bytesToNumber(key.subarray(-NUMBER_BYTES));
    if (number !== next || number > head) break;
    putSupply(batch, number, readSupply(number, row));
    next += SUPPLY_INTERVAL;
    if (batch.bytes < BATCH_BYTES) continue;
    await store.write(batch, { sync: false });
    batch = store.createBatch();
  }
  const minted = next === 0 ? genesisSupply(state, genesis) : undefined;
  if (minted !== undefined) putSupply(batch, 0, { minted, burntFees: 0n });
  await store.write(batch, { sync: false });
}

/** Adds up the balances of block 0; undefined where its state has been pruned. */
function genesisSupply(rows: Rows, { header }: GoHead): bigint | undefined {
  const walk = new GoTrieWalk({
    rows,
    reference: header.stateRoot,
    name: "the state of block 0",
    onNode: () => undefined,
  });
  let minted = 0n;
  try {
    for (let leaf = walk.next(); leaf !== undefined; leaf = walk.next())
      minted += decodeAccount(plainAccount(leaf.value)).balance;
  } catch (error) {
    if (error instanceof GoDataError && error.code === "missing") return undefined;
    throw error;
  }
  return minted;
}

function readSupply(
  number: number,
  row: Uint8Array,
): { readonly minted: bigint; readonly burntFees: bigint } {
  try {
    const [minted, burntFees] = listItems(decodeRlp(row)).map((item) => bytesToBigint(stringBytes(item)));
    if (minted === undefined || burntFees === undefined) throw new RangeError("too few items");
    return { minted, burntFees };
  } catch (cause) {
    throw new GoDataError("damaged", `the supply up to block ${number}: ${messageOf(cause)}`, { cause });
  }
}
