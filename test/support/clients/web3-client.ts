/** web3.js 4. */
import { Web3, WebSocketProvider } from "web3";
import { COUNTER_ABI, COUNTER_CODE } from "../counter-contract.ts";
import type { ContractClient, Heard } from "./contract-client.ts";
import type { KeyFileClient } from "./key-files.ts";

/** web3.js over HTTP, where it cannot listen, or WebSocket, where it subscribes. */
export function web3Client(url: string, key: string): ContractClient {
  const socket = url.startsWith("ws") ? new WebSocketProvider(url) : undefined;
  const web3 = new Web3(socket ?? url);
  web3.eth.transactionPollingInterval = 100;
  const from = web3.eth.accounts.wallet.add(key)[0]?.address ?? "";
  let contract = new web3.eth.Contract(COUNTER_ABI);
  const listen = async (heard: Heard): Promise<void> => {
    const heads = await web3.eth.subscribe("newBlockHeaders");
    heads.on("data", ({ number }) => void heard.heads.push(Number(number)));
    const pending = await web3.eth.subscribe("pendingTransactions");
    pending.on("data", (hash) => void heard.pending.push(hash));
    contract.events.Changed().on("data", ({ returnValues }) => {
      heard.values.push(returnValues["value"] as bigint); // as the ABI says
    });
  };
  return {
    async deploy(first) {
      contract = await contract.deploy({ data: COUNTER_CODE, arguments: [first] }).send({ from });
    },
    value: () => contract.methods.value().call(),
    async set(next) {
      const receipt = await contract.methods.set(next).send({ from });
      return receipt.transactionHash;
    },
    async pastValues() {
      const events = await contract.getPastEvents("Changed", { fromBlock: 0 });
      return events.map((event) =>
        typeof event === "string" ? -1n : (event.returnValues["value"] as bigint),
      );
    },
    ...(socket && { listen }),
    async close() {
      await web3.eth.clearSubscriptions();
      socket?.disconnect();
    },
  };
}

/** Its key files. */
export const web3KeyFiles: KeyFileClient = {
  encrypt: async (key, passphrase) => JSON.stringify(await accounts().encrypt(key, passphrase, { n: 1024 })),
  decrypt: async (file, passphrase) => (await accounts().decrypt(file, passphrase)).privateKey,
};

function accounts(): Web3["eth"]["accounts"] {
  return new Web3().eth.accounts;
}
