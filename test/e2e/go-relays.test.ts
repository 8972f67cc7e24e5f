/**
 * Proxies and endpoints of both programs: a Knit endpoint follows Go validators behind a Go proxy, and a Go endpoint
 * follows Knit validators behind a Knit proxy, through Osaka with the flexible reward and votes, blobs included. Needs
 * the path of a Go core node in KNIT_PEER_KCN, and its proxy and endpoint beside it.
 */
import { expect } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { GAS_PRICE } from "../../scripts/network/genesis.ts";
import type { NetworkSize } from "../../scripts/network/plan.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { aLadderTransaction } from "../support/ladder-transactions.ts";
import { commonAnswer, reachHeight } from "../support/network-answers.ts";
import { withStakes } from "../support/staked-genesis.ts";
import { testNetworks } from "../support/test-network.ts";

const [needed, reason] = goTests();
const OSAKA = 8;
const EPOCH = 10;
/** Votes of the first epoch count from here on. */
const VOTED = 2 * EPOCH + 1;

const networks = testNetworks("go-relays");

function aBlobTransaction(key: Uint8Array): string {
  const tx = aLadderTransaction(0x7803, { key, nonce: 0n, price: GAS_PRICE, tip: 0n });
  return toHex(tx.raw.subarray(1));
}

needed.each<[string, Partial<NetworkSize>]>([
  ["a Knit endpoint behind a Go proxy follows Go validators", { core: 2, proxy: 1, endpoint: 1 }],
  ["a Go endpoint behind a Knit proxy follows Knit validators", { endpoint: 1 }],
])(
  `%s, with votes, rewards and blobs${reason}`,
  async (_what, go) => {
    const network = await networks.open({
      size: { core: 2, proxy: 1, endpoint: 2 },
      consensus: { policy: 2, randao: true },
      go: { ...go, binary: GO_BINARY },
      flags: ["--rpc.profile", "kaia"],
      adapt: (genesis, council) =>
        withStakes(genesis, council, {
          stakes: [6_000_000n, 7_000_000n],
          pool: 3_000_000n,
          hasThirdFund: true,
          osaka: OSAKA,
          epoch: EPOCH,
          governanceMode: "none",
          reward: { ratio: "40/25/20/15", useFlexReward: true, stakingRewardThreshold: 6_500_000 },
        }),
    });
    const { nodes } = network;
    const validators = nodes.filter(({ type }) => type === "core");
    const endpoints = nodes.filter(({ type }) => type === "endpoint");
    await validators[0]?.ask("governance_vote", "reward.ratio", "34/30/26/10");
    await reachHeight(nodes, OSAKA);

    // The blobs of each endpoint's transaction pass its proxy before they are in a block, and all nodes keep them.
    const hashes = await Promise.all(
      endpoints.map(({ ask }, place) =>
        ask("eth_sendRawTransaction", aBlobTransaction(DEVELOPMENT_KEYS[place] ?? new Uint8Array(32))),
      ),
    );
    for (const hash of hashes) {
      expect(await commonAnswer(nodes, "eth_getTransactionReceipt", hash)).toMatchObject({
        status: "0x1",
        type: "0x3",
      });
      expect(await commonAnswer(nodes, "eth_getBlobSidecarByTxHash", hash, true)).toMatchObject({
        txHash: hash,
      });
    }

    await reachHeight(nodes, VOTED);
    for (let number = 0; number <= VOTED; number++) {
      const at = `0x${number.toString(16)}`;
      await commonAnswer(nodes, "eth_getBlockByNumber", at, false);
      await commonAnswer(nodes, "klay_getRewards", at);
      await commonAnswer(nodes, "klay_getParams", at);
    }
    const parameters = await commonAnswer(nodes, "klay_getParams", `0x${VOTED.toString(16)}`);
    expect(parameters).toMatchObject({ "reward.ratio": "34/30/26/10", "reward.useflexreward": true });
  },
  300_000,
);
