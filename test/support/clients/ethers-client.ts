/** ethers 6. */
import {
  BaseContract,
  ContractFactory,
  encryptKeystoreJson,
  type JsonRpcApiProvider,
  JsonRpcProvider,
  Wallet,
  WebSocketProvider,
} from "ethers";
import { COUNTER_ABI, COUNTER_CODE } from "../counter-contract.ts";
import { until } from "../rpc-client.ts";
import type { ContractClient } from "./contract-client.ts";
import type { KeyFileClient } from "./key-files.ts";

/** ethers over HTTP, where it listens by polling filters, or WebSocket, where it subscribes. */
export function ethersClient(url: string, key: string): ContractClient {
  const provider = url.startsWith("ws")
    ? new WebSocketProvider(url)
    : new JsonRpcProvider(url, undefined, { pollingInterval: 100, staticNetwork: true });
  const wallet = new Wallet(key, provider);
  let contract = new BaseContract(wallet.address, COUNTER_ABI, wallet);
  return {
    async deploy(first) {
      contract = await new ContractFactory(COUNTER_ABI, COUNTER_CODE, wallet).deploy(first);
      await contract.waitForDeployment();
    },
    value: () => contract.getFunction("value").staticCall() as Promise<bigint>, // as the ABI says
    async set(next) {
      const sent = await contract.getFunction("set").send(next);
      return (await sent.wait())?.hash ?? "";
    },
    async pastValues() {
      const events = await contract.queryFilter("Changed");
      return events.map((event) => ("args" in event ? BigInt(event.args["value"]) : -1n));
    },
    async listen(heard) {
      await provider.on("block", (number: number) => heard.heads.push(number));
      await provider.on("pending", (hash: string) => heard.pending.push(hash));
      await contract.on("Changed", (_by: string, value: bigint) => heard.values.push(value));
    },
    close: destroyWhenQuiet(provider),
  };
}

/** Follows the provider's calls: it is destroyed between two of them, as it breaks off what is under way loudly. */
function destroyWhenQuiet(provider: JsonRpcApiProvider & { destroy(): void }): () => Promise<void> {
  let underWay = 0;
  const send = provider.send.bind(provider);
  provider.send = async (method, params) => {
    underWay++;
    return send(method, params).finally(() => underWay--);
  };
  return () => until(async () => (underWay === 0 ? [provider.destroy()] : undefined)).then(() => undefined);
}

/** Its key files. */
export const ethersKeyFiles: KeyFileClient = {
  encrypt: (privateKey, passphrase) =>
    encryptKeystoreJson(new Wallet(privateKey), passphrase, { scrypt: { N: 1024 } }),
  decrypt: async (file, passphrase) => (await Wallet.fromEncryptedJson(file, passphrase)).privateKey,
};
