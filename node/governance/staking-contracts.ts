/** Staking information from contracts, and its database row. */
import type { Address } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import { bytesToBigint, integerBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, listItems, type RlpItem, stringBytes } from "../bytes/rlp.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import { type LiquidityPool, noStaking, type StakedNode, type StakingInfo } from "./staking.ts";
import {
  ADDRESS_BOOK,
  type AddressBookEntry,
  activeContract,
  addressBookEntries,
  liquidityPools,
  REGISTRY,
  spareContract,
  tokenBalance,
} from "./system-contracts.ts";

/** Entry types of the address book. */
const NODE = 0;
const STAKING = 1;
const REWARD = 2;
const KIF = 3;
const KEF = 4;

const NONE = new Uint8Array(0);
/** One KAIA in peb. */
const COIN = 10n ** 18n;
/** Entries of one node and the two funds. */
const MIN_ENTRIES = 5;

/**
 * Reads the stakes after block `source`. `pools` adds the registry of liquidity pools (KIP-226). Without a
 * complete address book there are none. Throws `GovernanceError` `bad-answer`.
 */
export function readStaking(reader: ContractReader, source: number, pools: boolean): StakingInfo {
  if (reader.code(ADDRESS_BOOK).length === 0) return noStaking(source);
  const entries = addressBookEntries(reader);
  const kpf = spareContract(reader);
  const liquidity = pools && reader.code(REGISTRY).length > 0 ? readPools(reader) : [];
  const kif = entries.findLast(({ type }) => type === KIF)?.address;
  const kef = entries.findLast(({ type }) => type === KEF)?.address;
  if (entries.some(({ type }) => type > KEF)) {
    throw new GovernanceError("bad-answer", "the address book has an entry of an unknown type");
  }
  const nodes = stakedNodes(reader, entries);
  if (nodes === undefined || kif === undefined || kef === undefined || isZero(kif) || isZero(kef)) {
    return noStaking(source);
  }
  return { source, nodes, kef, kif, kpf, pools: liquidity };
}

/** Returns the nodes; undefined when the address book is incomplete. */
function stakedNodes(
  reader: ContractReader,
  entries: readonly AddressBookEntry[],
): readonly StakedNode[] | undefined {
  const of = (wanted: number): readonly Address[] =>
    entries.flatMap(({ type, address }) => (type === wanted ? [address] : []));
  const [nodes, contracts, rewards] = [of(NODE), of(STAKING), of(REWARD)];
  const complete = entries.length >= MIN_ENTRIES && (entries.length - 2) % 3 === 0;
  const count = complete ? (entries.length - 2) / 3 : 0;
  if ([nodes, contracts, rewards].some(({ length }) => length !== count)) return undefined;
  return nodes.map((node, i) => ({
    node,
    stakingContract: contracts[i] as Address, // as many as nodes: checked above
    reward: rewards[i] as Address,
    // The balance of the second of three entries counts, whatever its type.
    amount: reader.balance((entries[i * 3 + 1] as AddressBookEntry).address) / COIN,
  }));
}

function readPools(reader: ContractReader): readonly LiquidityPool[] {
  const registry = activeContract(reader, "CLRegistry");
  const token = activeContract(reader, "WrappedKaia");
  if (registry === undefined) return [];
  return liquidityPools(reader, registry).map(({ node, pool }) => ({
    node,
    pool,
    amount: token === undefined ? 0n : tokenBalance(reader, token, pool) / COIN,
  }));
}

/** Encodes a row: nodes, ecosystem fund, infrastructure fund, pools, third fund. */
export function encodeStaking({ nodes, kef, kif, kpf, pools }: StakingInfo): Uint8Array<ArrayBuffer> {
  return encodeRlp([
    nodes.map(({ node, stakingContract, reward, amount }) => [
      node,
      stakingContract,
      reward,
      integerBytes(amount),
    ]),
    kef ?? NONE,
    kif ?? NONE,
    pools.map(({ node, pool, amount }) => [node, pool, integerBytes(amount)]),
    kpf ?? NONE,
  ]);
}

/** Decodes a row; rows of earlier versions have no third fund. Throws `BytesError` `bad-rlp` when it is damaged. */
export function decodeStaking(source: number, row: Uint8Array): StakingInfo {
  const [nodes, kef, kif, pools, kpf] = listItems(decodeRlp(row));
  return {
    source,
    kef: optionalAddress(kef),
    kif: optionalAddress(kif),
    kpf: optionalAddress(kpf),
    nodes: (nodes === undefined ? [] : listItems(nodes)).map((item) => {
      const [node = NONE, stakingContract = NONE, reward = NONE, amount = NONE] = byteFields(item);
      return { node, stakingContract, reward, amount: bytesToBigint(amount) };
    }),
    pools: (pools === undefined ? [] : listItems(pools)).map((item) => {
      const [node = NONE, pool = NONE, amount = NONE] = byteFields(item);
      return { node, pool, amount: bytesToBigint(amount) };
    }),
  };
}

function optionalAddress(item: RlpItem | undefined): Address | undefined {
  const bytes = item === undefined ? NONE : stringBytes(item);
  return bytes.length === 20 ? bytes.slice() : undefined;
}

function byteFields(item: RlpItem): readonly Uint8Array[] {
  return listItems(item).map((field) => stringBytes(field).slice());
}
