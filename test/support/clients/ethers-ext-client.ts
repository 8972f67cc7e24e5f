/** @kaiachain/ethers-ext, over HTTP. */
import { JsonRpcProvider, Wallet } from "@kaiachain/ethers-ext/v6";
import { type ExtensionApi, extensionOutcome, extensionTransaction } from "./extension.ts";
import type { KaiaClient, Signer } from "./kaia-client.ts";
import type { KeyFileClient } from "./key-files.ts";

/** Sends through `klay_sendRawTransaction` of the extension's provider. */
export function ethersExtClient(url: string): KaiaClient {
  const provider = new JsonRpcProvider(url);
  const api = provider.klay as unknown as ExtensionApi; // made from a list of methods, without types
  const wallets = ({ address, keys }: Signer) => keys.map((key) => new Wallet(address, key, provider));
  return {
    anchors: false,
    async send(transaction, sender, payer) {
      let signed: object | string = extensionTransaction(transaction);
      for (const wallet of wallets(sender)) signed = await wallet.signTransaction(signed as object);
      for (const wallet of payer ? wallets(payer) : [])
        signed = await wallet.signTransactionAsFeePayer(signed);
      const hash = (await provider.send("klay_sendRawTransaction", [signed])) as string;
      return { hash, outcome: () => extensionOutcome(api, hash) };
    },
    keyType: async (address) => (await api.getAccountKey(address, "latest")).keyType,
    close: async () => provider.destroy(),
  };
}

/** Key files as it reads them, of version 4 too. It writes none itself. */
export const ethersExtKeyFiles: Pick<KeyFileClient, "decrypt"> = {
  decrypt: async (file, passphrase) => (await Wallet.fromEncryptedJson(file, passphrase)).privateKey,
};
