/** Accounts with each kind of key, and what their keys may sign. */
import { Wallet } from "ethers";
import type { FundedKey } from "../dev-node.ts";
import type { KaiaClient, KeyPlan } from "./kaia-client.ts";

interface KeyUse {
  /** The type of the transaction. */
  readonly name: string;
  readonly keys: readonly string[];
  /** Keys of the same account that sign for the fee. */
  readonly payerKeys?: readonly string[];
}

interface KeyCase {
  readonly plan: KeyPlan;
  /** Transactions that the account sends with its new key, in this order. */
  readonly uses: readonly KeyUse[];
}

/** Result of an account: its key type, and for each use success, failure or the node's refusal. */
export interface KeyOutcome {
  readonly keyType: number;
  readonly uses: readonly (boolean | string)[];
}

/** The kinds of keys. */
export type KeyName = "legacy" | "public" | "fail" | "multi-signature" | "role-based";

/** The cases; `key` is the one the account begins with. */
function keyCases(key: string): Readonly<Record<KeyName, KeyCase>> {
  const [a = "", b = "", c = "", d = ""] = Array.from({ length: 4 }, () => Wallet.createRandom().privateKey);
  const roles: KeyPlan = {
    type: "roles",
    roles: [
      { type: "public", key: a },
      { type: "multisig", threshold: 2, keys: [b, c] },
      { type: "public", key: d },
    ],
  };
  return {
    legacy: { plan: { type: "legacy" }, uses: [transfer(key)] },
    public: { plan: { type: "public", key: a }, uses: [transfer(a)] },
    fail: { plan: { type: "fail" }, uses: [transfer(key)] },
    "multi-signature": {
      plan: { type: "multisig", threshold: 2, keys: [a, b, c] },
      uses: [transfer(a, c), transfer(b)],
    },
    "role-based": {
      plan: roles,
      uses: [
        { name: "FeeDelegatedValueTransfer", keys: [a], payerKeys: [d] },
        { name: "AccountUpdate", keys: [b, c] },
      ],
    },
  };
}

function transfer(...keys: string[]): KeyUse {
  return { name: "ValueTransfer", keys };
}

/** Gives the account, which must be new, a key of this kind, and uses it. */
export async function useKey(client: KaiaClient, name: KeyName, account: FundedKey): Promise<KeyOutcome> {
  const { address: from, key } = account;
  const { plan, uses } = keyCases(key)[name];
  const update = { name: "AccountUpdate", from, nonce: 0, key: plan };
  await (await client.send(update, { address: from, keys: [key] })).outcome();
  const keyType = await client.keyType(from);
  const sent: (() => Promise<boolean | string>)[] = [];
  for (const [i, { name: type, keys, payerKeys }] of uses.entries()) {
    const content = type === "AccountUpdate" ? { key: plan } : { to: from, value: 1 };
    const transaction = { name: type, from, nonce: i + 1, ...content };
    const payer = payerKeys && { address: from, keys: payerKeys };
    try {
      const { outcome } = await client.send(transaction, { address: from, keys }, payer);
      sent.push(async () => (await outcome()).succeeded);
    } catch (error) {
      sent.push(async () => String(error));
      break; // what comes after would wait for this one
    }
  }
  return { keyType, uses: await Promise.all(sent.map((outcome) => outcome())) };
}
