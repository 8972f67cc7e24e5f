/**
 * Gasless transactions beside Go nodes (KIP-247): a pair of a sender without KAIA that one program takes stands behind
 * the loan of its proposer in blocks of both. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { expect } from "@jest/globals";
import { toHex } from "../../node/bytes/hex.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { lendTransaction } from "../../node/gasless/lend.ts";
import { CHAIN_ID, GAS_PRICE } from "../../scripts/network/genesis.ts";
import {
  anApproval,
  aSwap,
  OTHER_TOKEN,
  PAIR_FEE,
  ROUTER,
  ROUTER_CODE,
  TOKEN,
  TOKEN_CODE,
} from "../support/gasless.ts";
import { type BundleRound, blockWith, bundleNetworks, expectAllPairs } from "../support/go-bundles.ts";
import { goTests } from "../support/go-peer.ts";
import { aSigner } from "../support/pool-transactions.ts";

const [needed, reason] = goTests();
const openNetworkWith = bundleNetworks("knit-go-gasless-");

/** Sends a pair of a new account, and returns the proposer that has lent its fees. */
async function swapOnce({ round, node, keys }: BundleRound): Promise<string> {
  const { ask } = node;
  const given = { from: aSigner(1_000 + round), chainId: BigInt(CHAIN_ID), price: GAS_PRICE };
  const approve = anApproval({ ...given, nonce: 0 });
  const amountRepay = PAIR_FEE * GAS_PRICE;
  const swap = aSwap({ ...given, nonce: 1, amountRepay, deadline: 2n ** 40n });
  for (const { raw, hash } of [approve, swap]) {
    expect(await ask("eth_sendRawTransaction", toHex(raw))).toBe(toHex(hash));
  }
  const { block, proposer } = await blockWith(node, swap.hash);
  const at = block.transactions.findIndex(({ hash }) => hash === toHex(swap.hash));
  const lent = block.transactions[at - 2];
  const key = keys.get(proposer) ?? new Uint8Array(32);
  const loan = lendTransaction({
    approve,
    swap,
    chainId: BigInt(CHAIN_ID),
    nonce: BigInt(lent?.nonce ?? 0),
    sign: (digest) => sign(digest, key),
  });
  const group = [loan, approve, swap].map(({ hash }) => toHex(hash));
  expect(block.transactions.slice(at - 2, at + 1).map(({ hash }) => hash)).toEqual(group);
  for (const hash of group) {
    expect(await ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  }
  return proposer;
}

needed(
  `pairs that Go nodes and ours take stand behind their loans in blocks of both${reason}`,
  async () => {
    const nodes = await openNetworkWith({
      name: "GaslessSwapRouter",
      contracts: [
        { address: ROUTER, code: ROUTER_CODE },
        { address: TOKEN, code: TOKEN_CODE },
        { address: OTHER_TOKEN, code: TOKEN_CODE },
      ],
    });
    // Not in step with the proposers' turns.
    await expectAllPairs(nodes, (round) => round + Math.floor(round / nodes.length), swapOnce);
  },
  240_000,
);
