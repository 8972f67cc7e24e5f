/** Shared parts of the extensions of ethers and web3.js: objects of transactions and keys as js-ext-core reads them. */
import { AccountKeyType, KlaytnTxFactory, parseTxType } from "@kaiachain/js-ext-core";
import { keccak256, SigningKey } from "ethers";
import { until } from "../rpc-client.ts";
import { type KaiaTransaction, type KeyPlan, type Outcome, TERMS } from "./kaia-client.ts";

/** A transaction as both extensions take it. */
export function extensionTransaction({ name, key, nonce, value = 0, ...others }: KaiaTransaction): object {
  const { chainId, gas: gasLimit, gasPrice } = TERMS;
  const deploys = name.includes("Deploy") ? { humanReadable: false, codeFormat: 0 } : {};
  const update = key === undefined ? {} : { key: extensionKey(key) };
  const terms = { type: parseTxType(name), nonce, chainId, gasLimit, gasPrice };
  return { ...terms, value, ...others, ...deploys, ...update };
}

function extensionKey(plan: KeyPlan): object {
  if (plan.type === "public") return { type: AccountKeyType.Public, key: publicKey(plan.key) };
  if (plan.type === "multisig") {
    const keys = plan.keys.map((key) => ({ weight: 1, key: publicKey(key) }));
    return { type: AccountKeyType.WeightedMultiSig, threshold: plan.threshold, keys };
  }
  if (plan.type === "roles") return { type: AccountKeyType.RoleBased, keys: plan.roles.map(extensionKey) };
  return { type: plan.type === "legacy" ? AccountKeyType.Legacy : AccountKeyType.Fail };
}

function publicKey(privateKey: string): string {
  return SigningKey.computePublicKey(privateKey, true);
}

/** The methods of the chain's own module that the extensions offer. */
export interface ExtensionApi {
  getTransactionReceipt(hash: string): Promise<{ readonly type: string; readonly status: string } | null>;
  getRawTransactionByHash(hash: string): Promise<string>;
  getAccountKey(address: string, block: string): Promise<{ readonly keyType: number }>;
}

/** Waits for the receipt, and reads the transaction again. */
export async function extensionOutcome(api: ExtensionApi, hash: string): Promise<Outcome> {
  const { type, status } = await until(async () => (await api.getTransactionReceipt(hash)) ?? undefined);
  const rebuilt = KlaytnTxFactory.fromRLP(await api.getRawTransactionByHash(hash));
  return { type, succeeded: Number(status) === 1, rebuiltHash: keccak256(rebuilt.txHashRLP()) };
}
