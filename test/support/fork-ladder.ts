/** The genesis of a network whose forks come one after another, with both treasury rebalancings. */
import { addressText, bareHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { exactJsonText, parseExactJson } from "../../node/config/exact-json.ts";
import { forks } from "../../node/config/forks.ts";
import { REGISTRY } from "../../node/governance/system-contracts.ts";
import { answeringCode, type FixedAnswer } from "./contract-code.ts";
import { addressWord } from "./contracts.ts";
import { STAKED_RECORDS } from "./staked-genesis.ts";

/** Fork blocks by the key of the chain configuration, ascending. */
export type Ladder = ReadonlyMap<string, number>;

/** Blocks between two forks: the registry of Randao comes a block before its fork. */
const STEP = 3;
const COIN = 10n ** 18n;
const address = (number: number): Uint8Array => fixedBytes(0x7000 + number, 20);
const [KIP103, KIP160] = [address(0x103), address(0x160)];
const FUNDS = { first: address(1), second: address(2), third: address(3) };

/** Returns a fork every three blocks up to `last`; the rebalancings come a block behind Kore and Kaia. */
export function ladderUpTo(last: string): Ladder {
  const ordered = forks.filter((fork) => fork.ordered).map(({ configKey }) => configKey);
  const heights = ordered
    .slice(0, ordered.indexOf(last) + 1)
    .map((configKey, place) => [configKey, STEP * (place + 1)] as const);
  const known = new Map(heights);
  const behind = (fork: string, of: string): [string, number][] => {
    const height = known.get(of);
    return height === undefined ? [] : [[fork, height + 1]];
  };
  return new Map([
    ...heights,
    ...behind("kip103CompatibleBlock", "koreCompatibleBlock"),
    ...behind("kip160CompatibleBlock", "kaiaCompatibleBlock"),
  ]);
}

interface GenesisJson {
  readonly config: Readonly<Record<string, unknown>>;
  readonly alloc: Readonly<Record<string, object>>;
}

/** Spreads the forks of a genesis with stakes and Randao from block 0 over the ladder. */
export function withLadder(genesis: string, validators: readonly Uint8Array[], ladder: Ladder): string {
  const { config, alloc, ...rest } = parseExactJson(genesis) as GenesisJson; // written by `withStakes`
  const { [bareHex(REGISTRY)]: _, ...accounts } = alloc; // the fork installs it
  const records = Object.fromEntries(STAKED_RECORDS.map((each) => [each.name, addressText(each.address)]));
  const others = Object.entries(config).filter(([key]) => !key.endsWith("CompatibleBlock"));
  return exactJsonText({
    ...rest,
    config: {
      ...Object.fromEntries(others),
      ...Object.fromEntries(ladder),
      kip103ContractAddress: addressText(KIP103),
      kip160ContractAddress: addressText(KIP160),
      randaoRegistry: { records, owner: addressText(validators[0] ?? KIP103) },
    },
    alloc: { ...accounts, ...rebalancings(ladder) },
  });
}

/** The first fund pays the second and third one; later the second one is cut. */
function rebalancings(ladder: Ladder): Readonly<Record<string, object>> {
  const { first, second, third } = FUNDS;
  const old = answers(ladder.get("kip103CompatibleBlock"), [
    ["getRetiredCount()", [1n]],
    ["retirees(uint256)", [addressWord(first)]],
    ["getNewbieCount()", [1n]],
    ["newbies(uint256)", [addressWord(second), 3n * COIN]],
    ["checkRetiredsApproved()", []],
  ]);
  const later = answers(ladder.get("kip160CompatibleBlock"), [
    ["getZeroedCount()", [1n]],
    ["zeroeds(uint256)", [addressWord(second)]],
    ["getAllocatedCount()", [1n]],
    ["allocateds(uint256)", [addressWord(third), COIN]],
    ["checkZeroedsApproved()", []],
  ]);
  return {
    [bareHex(KIP103)]: { code: toHex(old), balance: "0x0" },
    [bareHex(KIP160)]: { code: toHex(later), balance: "0x0" },
    [bareHex(first)]: { balance: `0x${(5n * COIN).toString(16)}` },
  };
}

function answers(block: number | undefined, others: readonly FixedAnswer[]): Uint8Array {
  const approved = 2n;
  return answeringCode([
    ["rebalanceBlockNumber()", [BigInt(block ?? 0)]],
    ["status()", [approved]],
    ...others,
  ]);
}

/** Balances of the funds after the rebalancings of a ladder, in peb. */
export function fundsAfter(ladder: Ladder): readonly (readonly [string, bigint])[] {
  const hasSecond = ladder.has("kip160CompatibleBlock");
  const { first, second, third } = FUNDS;
  return [
    [toHex(first), 0n],
    [toHex(second), hasSecond ? 0n : 3n * COIN],
    [toHex(third), hasSecond ? COIN : 0n],
  ];
}
