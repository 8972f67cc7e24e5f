/** Arbitrary parameters of the signing methods cause no internal error and reveal no secret. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { seededRandom } from "../../support/random.ts";
import { aSigningNode, type SigningNode } from "./signing-fixture.ts";

const ROUNDS = Number(process.env["KNIT_SIGNING_ROUNDS"] ?? 600);
const SECRET = "correct horse battery staple";
const KEY = "ba1db2de36139f2a5502c7ce8eb82fdd6c3ba112e80b013b35923cd7ee1af578";
let node: SigningNode;

beforeAll(async () => {
  node = await aSigningNode();
});
afterAll(async () => node[Symbol.asyncDispose]());

const HUGE = `0x${"f".repeat(64)}`;
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  255,
  "",
  "0x",
  "0x0",
  "0x01",
  "0x1",
  "0xffffffffffffffff",
  HUGE,
  `${HUGE}0`,
  "zz",
  `0x${"ab".repeat(20)}`,
  `0x${"ab".repeat(5_000)}`,
  [],
  {},
  [{}],
  [null],
  [{ V: HUGE, R: HUGE, S: "0x0" }],
  [{ address: `0x${"ab".repeat(20)}`, storageKeys: [HUGE] }],
  [
    {
      chainId: HUGE,
      address: `0x${"ab".repeat(20)}`,
      nonce: "0x1",
      yParity: "0xffffffffffffffff",
      r: HUGE,
      s: HUGE,
    },
  ],
  "\u0000\ud800",
];
const MEMBERS =
  "to gas gasPrice maxFeePerGas maxPriorityFeePerGas value nonce data input accessList chainId codeFormat humanReadable key feePayer feeRatio signatures authorizationList".split(
    " ",
  );
const KINDS = [
  0, 8, 9, 10, 16, 18, 32, 34, 40, 42, 48, 50, 56, 58, 72, 74, 0x7801, 0x7802, 0x7803, 0x7804, 24, 77, 65_535,
];
const METHODS =
  "chain_signTransaction chain_sendTransaction chain_signTransactionAsFeePayer chain_sendTransactionAsFeePayer chain_resend eth_signTransaction eth_fillTransaction eth_sendTransaction eth_resend".split(
    " ",
  );

test("transaction objects of any content cause no internal error", async () => {
  const random = seededRandom(7);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  for (let round = 0; round < ROUNDS; round++) {
    const transaction: Record<string, unknown> = { from: node.rich, typeInt: one(KINDS) };
    for (const member of MEMBERS) if (random() < 0.4) transaction[member] = one(VALUES);
    const method = one(METHODS);
    const answer = (await node.call(method, [transaction])) as { code?: number };
    expect([method, transaction, answer]).not.toEqual([
      method,
      transaction,
      expect.objectContaining({ code: -32603 }),
    ]);
  }
});

test("any parameters of the methods with keys, messages and lists cause no internal error", async () => {
  const random = seededRandom(11);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const methods = (
    "chain_sign personal_sign personal_ecRecover personal_lockAccount personal_importRawKey personal_replaceRawKey " +
    "personal_openWallet personal_deriveAccount personal_unlockAccount personal_sendValueTransfer " +
    "personal_sendAccountUpdate chain_sendRawTransaction eth_sendRawTransaction chain_sendRawTransactions " +
    "txpool_contentFrom admin_startSpamThrottler admin_setSpamThrottlerWhiteList"
  ).split(" ");
  for (let round = 0; round < ROUNDS / 3; round++) {
    const method = one(methods);
    const params = Array.from({ length: Math.floor(random() * 4) }, () => one(VALUES));
    const answer = (await node.call(method, params)) as { code?: number } | null;
    expect([method, params, answer?.code]).not.toEqual([method, params, -32603]);
  }
});

test("no response contains a passphrase or a key", async () => {
  const { filed } = node;
  const order = { from: filed, to: filed, value: "0x1", typeInt: 9, feePayer: filed };
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ["personal_importRawKey", [KEY, SECRET]],
    ["personal_importRawKey", [KEY, SECRET]],
    ["personal_importRawKey", [`0x${KEY}`, SECRET]],
    ["personal_importRawKey", [`${KEY}0x010x${filed.slice(2)}`, SECRET]],
    ["personal_importRawKey", [{ key: KEY }, SECRET]],
    ["personal_importRawKey", [KEY, SECRET, SECRET]],
    ["personal_replaceRawKey", [KEY, `${SECRET}!`, SECRET]],
    ["personal_newAccount", [[SECRET]]],
    ["personal_unlockAccount", [filed, SECRET, -1]],
    ["personal_unlockAccount", [filed, { SECRET }]],
    ["personal_sign", ["0x01", filed, SECRET]],
    ["personal_openWallet", ["hdwallet:///x", SECRET]],
    ["personal_sendTransaction", [order, SECRET]],
    ["personal_sendTransactionAsFeePayer", [order, SECRET]],
    ["personal_signTransaction", [{ ...order, typeInt: 0 }, SECRET]],
    ["personal_sendValueTransfer", [order, SECRET]],
  ];
  for (const profile of ["service", "klaytn", "kaia"] as const) {
    for (const [method, params] of calls) {
      const answer = JSON.stringify(await node.call(method, params, profile));
      expect(answer).not.toContain(SECRET);
      expect(answer).not.toContain(KEY.slice(0, 16));
    }
  }
});
