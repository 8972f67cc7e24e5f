/** caver-js: the chain's own transactions and account keys, over HTTP. */
import type { Account, Keyring, TransactionReceipt } from "caver-js";
import { Caver } from "./caver.ts";
import {
  type KaiaClient,
  type KaiaTransaction,
  type KeyPlan,
  type Outcome,
  type Signer,
  TERMS,
} from "./kaia-client.ts";

/** Members that all of its transaction classes share. */
interface CaverTransaction {
  sign(keyring: Keyring): Promise<unknown>;
  signAsFeePayer(keyring: Keyring): Promise<unknown>;
  getRLPEncoding(): string;
  getTransactionHash(): string;
}

type Kinds = Readonly<Record<string, { create(fields: object): CaverTransaction }>>;

/** Differences from a client for `knit dev`. */
export interface CaverOptions {
  readonly chainId?: number;
  readonly anchors?: boolean;
}

/** Sends through `caver.rpc.klay.sendRawTransaction`. */
export function caverKaiaClient(
  url: string,
  { chainId = TERMS.chainId, anchors = true }: CaverOptions = {},
): KaiaClient {
  const caver = new Caver(url);
  const kinds = caver.transaction as unknown as Kinds; // one member for each type, created alike
  return {
    anchors,
    async send(transaction, sender, payer) {
      const kind = transaction.name.replace(/^./, (letter) => letter.toLowerCase());
      const made = kinds[kind]?.create({ chainId, ...caverFields(caver, transaction, payer) });
      if (made === undefined) throw new Error(`caver-js has no ${kind}`);
      await made.sign(keyringOf(caver, sender));
      if (payer !== undefined) await made.signAsFeePayer(keyringOf(caver, payer));
      const sent = caver.rpc.klay.sendRawTransaction(made.getRLPEncoding());
      const hash = await new Promise<string>((resolve, reject) => {
        sent.once("transactionHash", resolve).catch(reject);
      });
      return { hash, outcome: async () => outcomeOf(caver, hash, await sent) };
    },
    keyType: async (address) => (await caver.rpc.klay.getAccountKey(address)).keyType ?? -1,
    close: async () => undefined,
  };
}

async function outcomeOf(caver: Caver, hash: string, receipt: TransactionReceipt): Promise<Outcome> {
  const rebuilt = await caver.transaction.getTransactionByHash(hash);
  const { type, status } = receipt;
  return { type, succeeded: Boolean(status), rebuiltHash: rebuilt.getTransactionHash() };
}

function caverFields(caver: Caver, transaction: KaiaTransaction, payer: Signer | undefined): object {
  const { name, key, data, ...others } = transaction;
  const { gas, gasPrice } = TERMS;
  return {
    ...others,
    gas,
    gasPrice,
    ...(data !== undefined && { input: data }),
    ...(name.includes("Deploy") && { humanReadable: false, codeFormat: "EVM" }),
    ...(key !== undefined && { account: accountOf(caver, transaction.from, key) }),
    ...(payer !== undefined && { feePayer: payer.address }),
  };
}

function keyringOf(caver: Caver, { address, keys }: Signer): Keyring {
  return caver.wallet.keyring.create(address, [...keys]);
}

function accountOf({ account, wallet }: Caver, address: string, plan: KeyPlan): Account {
  const publicKeys = (role: KeyPlan): string[] =>
    keysOf(role).map((key) => wallet.keyring.createFromPrivateKey(key).getPublicKey());
  const [first = ""] = publicKeys(plan);
  const options = (role: KeyPlan) => optionsOf(account, role);
  if (plan.type === "public") return account.createWithAccountKeyPublic(address, first);
  if (plan.type === "multisig")
    return account.createWithAccountKeyWeightedMultiSig(address, publicKeys(plan), options(plan));
  if (plan.type === "roles") {
    const { roles } = plan;
    return account.createWithAccountKeyRoleBased(address, roles.map(publicKeys), roles.map(options));
  }
  return plan.type === "legacy"
    ? account.createWithAccountKeyLegacy(address)
    : account.createWithAccountKeyFail(address);
}

function keysOf(plan: KeyPlan): readonly string[] {
  if (plan.type === "public") return [plan.key];
  return plan.type === "multisig" ? plan.keys : [];
}

/** Threshold and weights of a multi-signature, nothing for other keys. */
function optionsOf({ weightedMultiSigOptions: Options }: Caver["account"], plan: KeyPlan) {
  if (plan.type !== "multisig") return Options.fromObject({});
  return Options.fromObject({ threshold: plan.threshold, weights: plan.keys.map(() => 1) });
}
