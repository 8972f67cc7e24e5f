/**
 * Every transaction type crosses between our node and a Go node: two validators, one of each, so that every block
 * needs both. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { CHAIN_ID } from "../../scripts/network/genesis.ts";
import { type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { caverKaiaClient } from "../support/clients/caver-kaia-client.ts";
import { TERMS } from "../support/clients/kaia-client.ts";
import { sendAllTypes, typeNames } from "../support/clients/kaia-types.ts";
import type { FundedKey } from "../support/dev-node.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { until } from "../support/rpc-client.ts";

const [needed, reason] = goTests();
const accounts: readonly FundedKey[] = DEVELOPMENT_KEYS.map((key) => ({
  address: toHex(addressOfKey(key)),
  key: toHex(key),
}));
const ETHEREUM_TYPES = [0, 1, 2, 4] as const;

/** Members of a receipt that both nodes must agree on. */
interface Receipt {
  readonly blockHash: string;
  readonly status: string;
  readonly type: string;
}

/** Hashes of one transaction of each of Ethereum's types; `authority` lends its account the code of nobody. */
async function sendEthereumTypes(
  url: string,
  { key, address }: FundedKey,
  authority: FundedKey,
): Promise<string[]> {
  const provider = new JsonRpcProvider(url, CHAIN_ID, { staticNetwork: true });
  const wallet = new Wallet(key, provider);
  try {
    const sent = ETHEREUM_TYPES.map(async (type, nonce) => {
      const price = BigInt(TERMS.gasPrice);
      const fee = type < 2 ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: price };
      const authorization = { address, nonce: 0, chainId: CHAIN_ID };
      const code =
        type === 4 ? { authorizationList: [await new Wallet(authority.key).authorize(authorization)] } : {};
      const fields = {
        type,
        nonce,
        to: address,
        value: 1,
        gasLimit: 100_000,
        chainId: CHAIN_ID,
        ...fee,
        ...code,
      };
      return (await provider.broadcastTransaction(await wallet.signTransaction(fields))).hash;
    });
    return await Promise.all(sent);
  } finally {
    provider.destroy();
  }
}

/** Sends everything to one node and gives the hashes. */
async function sendTo({ url }: NetworkNode, place: number, anchors: boolean): Promise<string[]> {
  const [sender, payer, other] = accounts.slice(3 * place) as [FundedKey, FundedKey, FundedKey];
  const client = caverKaiaClient(url, { chainId: CHAIN_ID, anchors });
  const [native, ethereum] = await Promise.all([
    sendAllTypes(client, sender, payer),
    sendEthereumTypes(url, other, payer),
  ]);
  expect([...native.keys()]).toEqual(typeNames(anchors));
  return [...[...native.values()].map(({ hash }) => hash), ...ethereum];
}

async function receiptOf(node: NetworkNode, hash: string): Promise<Receipt> {
  const { blockHash, status, type } = await until(
    async () => ((await node.ask("klay_getTransactionReceipt", hash)) as Receipt | null) ?? undefined,
  );
  return { blockHash, status, type };
}

needed(
  `transactions of every type that one node is given are in blocks of both, with the same outcome${reason}`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "knit-go-types-"));
    try {
      const size = { core: 2, proxy: 0, endpoint: 0 };
      const flags = ["--txpool.allow-local-anchortx"];
      await using network = await openNetwork({ size, directory, flags, go: { core: 1, binary: GO_BINARY } });
      const [ours, go] = network.nodes as [NetworkNode, NetworkNode];
      // a Go node takes anchors of peers alone, as ours does without its flag
      const hashes = await Promise.all([sendTo(ours, 0, true), sendTo(go, 1, false)]);
      for (const hash of hashes.flat()) {
        const receipt = await receiptOf(ours, hash);
        expect(receipt).toMatchObject({ status: "0x1" });
        expect(await receiptOf(go, hash)).toEqual(receipt);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  240_000,
);
