/**
 * The genesis of a network with stakes: an address book of its validators with three funds, and a registry of liquidity
 * pools. The contracts answer with fixed words; staking contracts are accounts with a balance.
 */
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { exactJsonText, parseExactJson } from "../../node/config/exact-json.ts";
import { registrySlots } from "../../node/execution/registry.ts";
import { ADDRESS_BOOK, REGISTRY } from "../../node/governance/system-contracts.ts";
import { answeringCode, wordsOf } from "./contract-code.ts";
import { type AbiValue, abiAnswer, addressWord } from "./contracts.ts";

/** Stakes, forks and rewards of the network. */
export interface StakedOptions {
  /** Stake of each node of the address book, in KAIA; nodes after the validators are none. */
  readonly stakes: readonly bigint[];
  /** Stake of the liquidity pool of the first node, in KAIA. */
  readonly pool: bigint;
  /** The third fund has an address. */
  readonly hasThirdFund: boolean;
  readonly osaka: number;
  readonly epoch: number;
  readonly governanceMode: "none" | "single";
  /** Members of `governance.reward`. */
  readonly reward: object;
}

interface GenesisJson {
  readonly config: { readonly governance: { readonly reward: object }; readonly istanbul: object };
  readonly alloc: Readonly<Record<string, object>>;
}

const COIN = 10n ** 18n;
const BOOK = 0x4000;
const address = (number: number): Uint8Array => fixedBytes(BOOK + number, 20);
/** Addresses of the funds: infrastructure, ecosystem, and the third. */
export const FUNDS = { kif: address(1), kef: address(2), kpf: address(3) };
const [POOLS, TOKEN, POOL] = [address(4), address(5), address(6)];
const BLS_PROXY = fixedBytes(0x402, 20);

/** Contracts that the network's contract registry names. */
export const STAKED_RECORDS = [
  { name: "CLRegistry", address: POOLS },
  { name: "KIP113", address: BLS_PROXY },
  { name: "WrappedKaia", address: TOKEN },
];

/** Returns the reward address of a node by its place in the address book. */
export function rewardAddress(place: number): Uint8Array {
  return address(0x100 + place);
}

/** Adds stakes, rewards and the fork to the text of a genesis file with Randao from block 0. */
export function withStakes(
  genesis: string,
  validators: readonly Uint8Array[],
  options: StakedOptions,
): string {
  const { config, alloc, ...rest } = parseExactJson(genesis) as GenesisJson; // written by `genesisFile`
  const { governance, istanbul } = config;
  const { osaka, epoch, governanceMode } = options;
  const reward = { ...governance.reward, minimumStake: 5_000_000, ...options.reward };
  return exactJsonText({
    ...rest,
    config: {
      ...config,
      osakaCompatibleBlock: osaka,
      istanbul: { ...istanbul, epoch, policy: 2 },
      governance: { ...governance, governanceMode, reward },
    },
    alloc: { ...alloc, ...contracts(validators, options, alloc[bareHex(REGISTRY)] ?? {}) },
  });
}

function contracts(
  validators: readonly Uint8Array[],
  { stakes, pool, hasThirdFund }: StakedOptions,
  registry: object,
): Readonly<Record<string, object>> {
  const nodes = stakes.map((_, place) => validators[place] ?? address(0x300 + place));
  const owner = validators[0] ?? address(0);
  const storage = registrySlots({ owner, records: STAKED_RECORDS }).map(([slot, value]) => [
    word(slot),
    word(value),
  ]);
  const book = bookAnswers(nodes, hasThirdFund ? FUNDS.kpf : new Uint8Array(20));
  const pools = abiAnswer(words(nodes.slice(0, 1)), { list: [1n] }, words([POOL]));
  const rows: (readonly [Uint8Array, object])[] = [
    [ADDRESS_BOOK, { code: toHex(answeringCode(book)), balance: "0x0" }],
    [POOLS, { code: toHex(answeringCode([["getAllCLs()", wordsOf(pools)]])), balance: "0x0" }],
    [TOKEN, { code: toHex(answeringCode([["balanceOf(address)", [pool * COIN]]])), balance: "0x0" }],
    ...stakes.map((stake, place) => [address(0x200 + place), { balance: balanceText(stake) }] as const),
  ];
  const accounts = Object.fromEntries(rows.map(([each, account]) => [bareHex(each), account]));
  return { ...accounts, [bareHex(REGISTRY)]: { ...registry, storage: Object.fromEntries(storage) } };
}

function bookAnswers(nodes: readonly Uint8Array[], spare: Uint8Array): Parameters<typeof answeringCode>[0] {
  const entries = nodes.flatMap((node, place) => [node, address(0x200 + place), rewardAddress(place)]);
  const types = [...nodes.flatMap(() => [0n, 1n, 2n]), 3n, 4n];
  const all = abiAnswer({ list: types }, words([...entries, FUNDS.kif, FUNDS.kef]));
  return [
    ["getAllAddress()", wordsOf(all)],
    ["spareContractAddress()", [addressWord(spare)]],
  ];
}

function words(addresses: readonly Uint8Array[]): AbiValue {
  return { list: addresses.map(addressWord) };
}

function word(value: bigint): string {
  return toHex(fixedBytes(value, 32));
}

function balanceText(stake: bigint): string {
  return `0x${(stake * COIN).toString(16)}`;
}
