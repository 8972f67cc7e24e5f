/** The node as users of the chain's own client libraries meet it: types, account keys and key files against `knit dev`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Wallet as ExtensionWallet } from "@kaiachain/ethers-ext/v6";
import { TxType } from "@kaiachain/js-ext-core";
import { Wallet, WebSocketProvider } from "ethers";
import { Caver } from "../support/clients/caver.ts";
import { caverKaiaClient } from "../support/clients/caver-kaia-client.ts";
import { caverKeyFiles, caverRoleFile } from "../support/clients/caver-key-files.ts";
import { ethersExtClient, ethersExtKeyFiles } from "../support/clients/ethers-ext-client.ts";
import type { KaiaClient } from "../support/clients/kaia-client.ts";
import { type KeyName, type KeyOutcome, useKey } from "../support/clients/kaia-keys.ts";
import { type SentOutcome, sendAllTypes, typeNames } from "../support/clients/kaia-types.ts";
import { clientReadsFile, nodeReadsFile } from "../support/clients/key-files.ts";
import { web3ExtClient, web3ExtKeyFiles } from "../support/clients/web3-ext-client.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call, until } from "../support/rpc-client.ts";

const LIBRARIES = [
  { library: "@kaiachain/ethers-ext", open: ethersExtClient, anchors: false },
  { library: "@kaiachain/web3js-ext", open: web3ExtClient, anchors: false },
  { library: "caver-js", open: caverKaiaClient, anchors: true },
] as const;
const REFUSED = expect.stringContaining("invalid sender: invalid account key");
const KEYS = [
  { key: "legacy", keyType: 1, uses: [true] },
  { key: "public", keyType: 2, uses: [true] },
  { key: "fail", keyType: 3, uses: [REFUSED] },
  { key: "multi-signature", keyType: 4, uses: [true, REFUSED] },
  { key: "role-based", keyType: 5, uses: [true, true] },
] as const;
/** Each sends types from one account, paid by another, and gives five more their keys. */
const ACCOUNTS_EACH = 2 + KEYS.length;
/** The accounts of tests that need two of their own. */
const [OWN_PAIR, KEPT_PAIR] = [LIBRARIES.length * ACCOUNTS_EACH, LIBRARIES.length * ACCOUNTS_EACH + 2];

/** Results of a library. */
interface Done {
  readonly sent: ReadonlyMap<string, SentOutcome>;
  readonly keys: ReadonlyMap<KeyName, KeyOutcome>;
}

let node: DevNode;
let done: ReadonlyMap<string, Done>;

beforeAll(async () => {
  const accounts = String(KEPT_PAIR + 2);
  node = await startDevNode("--accounts", accounts, "--txpool.allow-local-anchortx");
  done = new Map(
    await Promise.all(
      LIBRARIES.map(async ({ library, open }, i) => [library, await doAll(open(node.http), i)] as const),
    ),
  );
}, 120_000);
afterAll(async () => {
  expect(await node.knit.stop()).toBe(0);
});

async function doAll(client: KaiaClient, library: number): Promise<Done> {
  const account = (index: number) => fundedKey(node, library * ACCOUNTS_EACH + index);
  try {
    const [sent, ...keys] = await Promise.all([
      sendAllTypes(client, account(0), account(1)),
      ...KEYS.map(async ({ key }, i) => [key, await useKey(client, key, account(2 + i))] as const),
    ]);
    return { sent, keys: new Map(keys) };
  } finally {
    await client.close();
  }
}

const types = LIBRARIES.flatMap(({ library, anchors }) =>
  typeNames(anchors).map((name) => ({ library, name })),
);

test.each(types)("$library sends $name and reads it back", ({ library, name }) => {
  const sent = done.get(library)?.sent.get(name);
  expect(sent).toMatchObject({ type: `TxType${name}`, succeeded: true, rebuiltHash: sent?.hash });
});

test("@kaiachain/ethers-ext fills in what is not said, over WebSocket, with a fee payer and in a batch", async () => {
  const provider = new WebSocketProvider(node.ws);
  try {
    const sender = new ExtensionWallet(fundedKey(node, OWN_PAIR).key, provider);
    const payer = new ExtensionWallet(fundedKey(node, OWN_PAIR + 1).key, provider);
    const transfer = { type: TxType.ValueTransfer, to: payer.address, value: 1 };
    const shared = { ...transfer, type: TxType.FeeDelegatedValueTransferWithRatio, feeRatio: 30 };
    const signed = await sender.signTransaction(await sender.populateTransaction(shared));
    const sent = [
      await payer.sendTransactionAsFeePayer(signed),
      ...(await sender.sendTransactions([1, 2].map((nonce) => ({ ...transfer, nonce })))),
    ];
    const receiptOf = ({ hash }: { readonly hash: string }) =>
      until(async () => (await provider.getTransactionReceipt(hash)) ?? undefined);
    const receipts = await Promise.all(sent.map(receiptOf)); // several at once in `wait` stop each other on a socket
    expect(receipts.map(({ status }) => status)).toEqual([1, 1, 1]);
  } finally {
    await provider.destroy();
  }
});

test("caver-js has the node sign for a sender and for a fee payer", async () => {
  const { rpc, transaction } = new Caver(node.http);
  const [sender, payer] = [fundedKey(node, KEPT_PAIR), fundedKey(node, KEPT_PAIR + 1)];
  for (const { address, key } of [sender, payer]) {
    await call(node.http, "personal_importRawKey", key.slice(2), "geheim");
    await call(node.http, "personal_unlockAccount", address, "geheim", 60);
  }
  const fields = {
    from: sender.address,
    to: payer.address,
    value: 1,
    gas: 100_000,
    nonce: 0,
    gasPrice: 50_000_000_000,
    chainId: 1337,
  };
  const { raw } = await rpc.klay.signTransaction(transaction.feeDelegatedValueTransfer.create(fields));
  const paid = Object.assign(transaction.decode(raw), { feePayer: payer.address });
  expect(await rpc.klay.sendTransactionAsFeePayer(paid)).toMatchObject({
    type: "TxTypeFeeDelegatedValueTransfer",
    status: "0x1",
    feePayer: payer.address,
  });
});

const keyed = LIBRARIES.flatMap(({ library }) => KEYS.map((row) => ({ library, ...row })));

test.each(keyed)("$library gives an account a $key key and uses it", ({ library, key, keyType, uses }) => {
  expect(done.get(library)?.keys.get(key)).toEqual({ keyType, uses });
});

test.each([
  { library: "@kaiachain/ethers-ext", files: ethersExtKeyFiles },
  { library: "@kaiachain/web3js-ext", files: web3ExtKeyFiles },
  { library: "caver-js", files: caverKeyFiles },
])("$library opens a key file of version 4 that the node wrote", async ({ files }) => {
  expect(await clientReadsFile(node, files)).toEqual({ version: 4, fits: true });
});

test("the node opens a key file of version 4 that caver-js wrote", async () => {
  expect(await nodeReadsFile(node, caverKeyFiles)).toBe(true);
});

test("the node signs with all keys of a role in a file that caver-js wrote", async () => {
  const [from, ...wallets] = Array.from({ length: 5 }, () => Wallet.createRandom());
  const [a = "", b = "", c = "", d = ""] = wallets.map(({ privateKey }) => privateKey);
  const address = from?.address.toLowerCase() ?? "";
  writeFileSync(join(node.keystore, "roles"), caverRoleFile(address, [[a, b], [c], [d]], "geheim"));
  const transaction = {
    typeInt: 8,
    from: address,
    to: address,
    value: "0x1",
    gas: "0xffff",
    nonce: "0x0",
  };
  expect(await call(node.http, "personal_signTransaction", transaction, "geheim")).toMatchObject({
    tx: { from: address, signatures: [{}, {}] },
  });
});
