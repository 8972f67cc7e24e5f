/**
 * Two validators of ours and two Go nodes cross Osaka with the flexible reward, vote on its parameters, and report the
 * same rewards to the last peb. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { expect } from "@jest/globals";
import { toHex } from "../../node/bytes/hex.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { reachHeight } from "../support/network-answers.ts";
import { FUNDS, withStakes } from "../support/staked-genesis.ts";
import { testNetworks } from "../support/test-network.ts";

/** Blocks of the network; the votes count from block 40 on. */
const BLOCKS = Math.max(45, Number(process.env["KNIT_PEER_BLOCKS"] ?? 45));
const TIMEOUT_MS = 120_000 + 2_500 * BLOCKS;
const OSAKA = 8;
const EPOCH = 10;

const networks = testNetworks("go-flex");

/** Returns the text of an answer, whose integers may exceed 2^53. */
async function answerText({ url }: NetworkNode, method: string, number: number): Promise<string> {
  const params = [`0x${number.toString(16)}`];
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.text()).trim();
}

/** The answer that all nodes give alike. */
async function commonAnswer(nodes: readonly NetworkNode[], method: string, number: number): Promise<string> {
  const [first = "", ...others] = await Promise.all(nodes.map((node) => answerText(node, method, number)));
  for (const other of others) expect(other).toBe(first);
  return first;
}

/** The shares of the funds in an answer of `getRewards`, in hundredths of the minted amount. */
function shares(answer: string): readonly (number | undefined)[] {
  const { result } = JSON.parse(answer) as { result: Record<string, number> };
  const { minted = 0, kif, kef, kpf } = result;
  return [kif, kef, kpf].map((amount) => Math.round(((amount ?? 0) / minted) * 100));
}

const [needed, reason] = goTests();

needed(
  `two Go nodes and two of ours pay the same rewards through Osaka and votes on the flexible reward${reason}`,
  async () => {
    const network = await networks.open({
      size: { core: 4, proxy: 0, endpoint: 0 },
      consensus: { policy: 2, randao: true },
      go: { core: 2, binary: GO_BINARY },
      flags: ["--rpc.profile", "kaia"],
      adapt: (genesis, council) =>
        withStakes(genesis, council, {
          stakes: [6_000_000n, 7_000_000n, 9_000_000n, 5_000_000n, 8_000_000n],
          pool: 3_000_000n,
          hasThirdFund: true,
          osaka: OSAKA,
          epoch: EPOCH,
          governanceMode: "none",
          reward: { ratio: "40/25/20/15", useFlexReward: true, stakingRewardThreshold: 6_500_000 },
        }),
    });
    const { nodes } = network;
    const [ours, , go] = nodes;
    if (ours === undefined || go === undefined) throw new Error("the network has four nodes");
    const rewards: string[] = [];
    /** Compares blocks as they come, since the nodes keep the states of the newest ones alone. */
    const compareUpTo = async (last: number): Promise<void> => {
      for (let number = rewards.length; number <= last; number++) {
        await reachHeight(nodes, number);
        rewards.push(await commonAnswer(nodes, "klay_getRewards", number));
        await commonAnswer(nodes, "klay_getParams", number);
      }
    };
    // Each of ours and of the Go node's votes is judged by both programs.
    await ours.ask("governance_vote", "reward.stakingrewardthreshold", "7500000");
    await go.ask("governance_vote", "reward.ratio", "34/30/26/10");
    await compareUpTo(2 * EPOCH + 1);
    // A Go node writes `false` as no bytes, which no node accepts, so ours votes for it.
    await ours.ask("governance_vote", "reward.useflexreward", false);
    await go.ask("governance_vote", "reward.ratio", "34/54/12");
    await compareUpTo(BLOCKS);

    const at = (number: number): readonly (number | undefined)[] => shares(rewards[number] ?? "");
    expect([at(OSAKA - 1), at(OSAKA), at(BLOCKS)]).toEqual([
      [40, 20, 0],
      [25, 20, 15],
      [54, 12, 0],
    ]);
    expect(new Set(rewards.map((_, number) => at(number).join("/")))).toContain("30/26/10");
    for (const address of Object.values(FUNDS)) {
      const balances = nodes.map(({ ask }) =>
        ask("eth_getBalance", toHex(address), `0x${BLOCKS.toString(16)}`),
      );
      expect(new Set(await Promise.all(balances)).size).toBe(1);
    }
  },
  TIMEOUT_MS,
);
