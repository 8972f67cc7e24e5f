/**
 * A chain of every fork, one after another, followed live: a Knit endpoint follows Go validators, and a Go endpoint
 * follows Knit validators, with transactions of every type, stakes and both rebalancings. Needs the path of a Go core
 * node in KNIT_PEER_KCN (Kaia 2.2.2) or KNIT_PEER_KLAYTN_KCN (Klaytn 1.12.1), and its endpoint beside it.
 */
import { expect, test } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { GAS_PRICE } from "../../scripts/network/genesis.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import type { NetworkSize } from "../../scripts/network/plan.ts";
import { fundsAfter, type Ladder, ladderUpTo, withLadder } from "../support/fork-ladder.ts";
import { aLadderTransaction, type LadderType } from "../support/ladder-transactions.ts";
import { commonAnswer, reachHeight } from "../support/network-answers.ts";
import { withStakes } from "../support/staked-genesis.ts";
import { testNetworks } from "../support/test-network.ts";

/** A line of the Go node: its binary, the newest fork that it knows, and the profile that answers like it. */
interface Line {
  readonly name: string;
  readonly variable: string;
  readonly newest: string;
  readonly profile: string;
  readonly reward: object;
}

const LINES: readonly Line[] = [
  {
    name: "Kaia",
    variable: "KNIT_PEER_KCN",
    newest: "osakaCompatibleBlock",
    profile: "kaia",
    reward: { ratio: "40/25/20/15", useFlexReward: true, stakingRewardThreshold: 6_500_000 },
  },
  {
    name: "Klaytn",
    variable: "KNIT_PEER_KLAYTN_KCN",
    newest: "randaoCompatibleBlock",
    profile: "klaytn",
    reward: { ratio: "50/30/20" },
  },
];
const DIRECTIONS: readonly (readonly [string, Partial<NetworkSize>])[] = [
  ["a Knit endpoint follows Go validators", { core: 2 }],
  ["a Go endpoint follows Knit validators", { endpoint: 1 }],
];
/** Blocks behind the last fork. */
const TAIL = 4;
/** Price before Magma, the only one that is taken. */
const UNIT_PRICE = 25_000_000_000n;
const [KEY, AUTHORITY_KEY] = DEVELOPMENT_KEYS as [Uint8Array, Uint8Array];

const networks = testNetworks("go-forks");

/** Types that a block accepts. */
function typesAt(ladder: Ladder, number: number): readonly LadderType[] {
  const since = (fork: string, types: readonly LadderType[]): readonly LadderType[] =>
    number >= (ladder.get(fork) ?? Number.POSITIVE_INFINITY) ? types : [];
  return [
    0,
    0x08,
    ...since("ethTxTypeCompatibleBlock", [0x7801, 0x7802]),
    ...since("pragueCompatibleBlock", [0x7804]),
    ...since("osakaCompatibleBlock", [0x7803]),
  ];
}

/** Nonces of the sender and of the account that gives others its code. */
interface Nonces {
  sender: bigint;
  authority: bigint;
}

/** Sends a transaction of each type that block `number` accepts, each to another node; returns their hashes. */
async function sendAll(
  nodes: readonly NetworkNode[],
  { ladder, number, nonces }: { readonly ladder: Ladder; readonly number: number; readonly nonces: Nonces },
): Promise<readonly string[]> {
  const hashes: string[] = [];
  const isMagma = number >= (ladder.get("magmaCompatibleBlock") ?? 0);
  const price = isMagma ? GAS_PRICE : UNIT_PRICE;
  for (const [place, code] of typesAt(ladder, number).entries()) {
    const authority = { key: AUTHORITY_KEY, nonce: code === 0x7804 ? nonces.authority++ : 0n };
    const tx = aLadderTransaction(code, { key: KEY, nonce: nonces.sender++, price, authority });
    const node = nodes[place % nodes.length];
    const raw = toHex(code > 0xff ? tx.raw.subarray(1) : tx.raw);
    const method = code === 0x08 ? "klay_sendRawTransaction" : "eth_sendRawTransaction";
    hashes.push((await node?.ask(method, raw)) as string);
  }
  return hashes;
}

/** Compares blocks and what follows from them as they come, since nodes keep the states of the newest ones alone. */
async function compareBlocks(nodes: readonly NetworkNode[], from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    const at = `0x${number.toString(16)}`;
    await commonAnswer(nodes, "eth_getBlockByNumber", at, true);
    for (const method of ["klay_getRewards", "klay_getParams", "klay_getCouncil", "klay_getStakingInfo"]) {
      await commonAnswer(nodes, method, at);
    }
  }
}

async function followLadder(line: Line, go: Partial<NetworkSize>): Promise<void> {
  const ladder = ladderUpTo(line.newest);
  const last = Math.max(...ladder.values());
  const network = await networks.open({
    size: { core: 2, proxy: 0, endpoint: 1 },
    consensus: { policy: 2, randao: true },
    go: { ...go, binary: process.env[line.variable] ?? "" },
    flags: ["--rpc.profile", line.profile],
    adapt: (genesis, council) => {
      const staked = withStakes(genesis, council, {
        stakes: [6_000_000n, 7_000_000n],
        pool: 3_000_000n,
        hasThirdFund: true,
        osaka: 0,
        epoch: 604_800,
        governanceMode: "none",
        reward: line.reward,
      });
      return withLadder(staked, council, ladder);
    },
  });
  const { nodes } = network;
  let compared = 0;
  const nonces = { sender: 0n, authority: 0n };
  for (const height of [...new Set(ladder.values())].sort((a, b) => a - b)) {
    await reachHeight(nodes, height);
    const hashes = await sendAll(nodes, { ladder, number: height, nonces });
    for (const hash of hashes) {
      expect(await commonAnswer(nodes, "eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    }
    await compareBlocks(nodes, compared, height);
    compared = height + 1;
  }
  await reachHeight(nodes, last + TAIL);
  await compareBlocks(nodes, compared, last + TAIL);
  for (const [address, balance] of fundsAfter(ladder)) {
    const found = await commonAnswer(nodes, "eth_getBalance", address, `0x${(last + TAIL).toString(16)}`);
    expect(BigInt(found as string)).toBe(balance);
  }
}

for (const line of LINES) {
  const isGiven = process.env[line.variable] !== undefined;
  const [needed, reason] = isGiven
    ? [test, ""]
    : [test.skip, ` (skipped: ${line.variable} names no Go node)`];
  needed.each(DIRECTIONS)(
    `%s through every fork of ${line.name}${reason}`,
    (_what, go) => followLadder(line, go),
    240_000,
  );
}
