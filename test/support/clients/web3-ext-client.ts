/** @kaiachain/web3js-ext, over HTTP: it gives all calls of the chain's own module one id. */
import { createRequire } from "node:module";
import type * as Extension from "@kaiachain/web3js-ext";
import { type ExtensionApi, extensionOutcome, extensionTransaction } from "./extension.ts";
import type { KaiaClient, Signer } from "./kaia-client.ts";
import type { KeyFileClient } from "./key-files.ts";

// Its ES modules name files without their endings, which Node.js does not find.
const { KlaytnTxFactory, Web3 }: typeof Extension = createRequire(import.meta.url)("@kaiachain/web3js-ext");

/** Sends through the extension's `web3.eth.sendSignedTransaction`. */
export function web3ExtClient(url: string): KaiaClient {
  const web3 = new Web3(url);
  const { accounts } = web3.eth;
  web3.eth.transactionPollingInterval = 100;
  const api = web3.klay as unknown as ExtensionApi; // made from a list of methods, without types
  const signed = async (transaction: object, { keys }: Signer): Promise<string> => {
    const [first = "", ...others] = keys;
    let raw = (await accounts.signTransaction(transaction, first)).rawTransaction;
    for (const key of others) raw = (await accounts.signTransaction(raw, key)).rawTransaction;
    return raw;
  };
  const signedForFee = async (sent: string, { address: feePayer, keys }: Signer): Promise<string> => {
    let raw = sent;
    for (const key of keys) {
      const fields = { ...KlaytnTxFactory.fromRLP(raw).toObject(), feePayer };
      raw = (await accounts.signTransactionAsFeePayer(fields, key)).rawTransaction;
    }
    return raw;
  };
  return {
    anchors: false,
    async send(transaction, sender, payer) {
      const raw = await signed(extensionTransaction(transaction), sender);
      const sent = web3.eth.sendSignedTransaction(payer ? await signedForFee(raw, payer) : raw);
      const hash = await new Promise<string>((resolve, reject) => {
        sent.once("transactionHash", resolve);
        sent.catch(reject);
      });
      const outcome = async () => {
        await sent; // by its receipt, which it asks for again and again
        return extensionOutcome(api, hash);
      };
      return { hash, outcome };
    },
    keyType: async (address) => (await api.getAccountKey(address, "latest")).keyType,
    close: async () => undefined,
  };
}

/** Key files as it reads them, of version 4 too. */
export const web3ExtKeyFiles: Pick<KeyFileClient, "decrypt"> = {
  decrypt: async (file, passphrase) => (await new Web3().eth.accounts.decrypt(file, passphrase)).privateKey,
};
