/** caver-js: contracts and events, in the chain's own transaction types. */
import type { AbiItem } from "caver-js";
import { COUNTER_ABI, COUNTER_CODE } from "../counter-contract.ts";
import { Caver, type CaverSubscriptions } from "./caver.ts";
import type { ContractClient, Heard } from "./contract-client.ts";

const GAS = 300_000;

interface CaverEvent {
  readonly returnValues?: Readonly<Record<string, string>>;
}

/** caver-js over HTTP, where it cannot listen, or WebSocket, where it subscribes. */
export function caverClient(url: string, key: string): ContractClient {
  const socket = url.startsWith("ws") ? new Caver.providers.WebsocketProvider(url) : undefined;
  const caver = new Caver(socket ?? url);
  const keyring = caver.wallet.keyring.createFromPrivateKey(key);
  caver.wallet.add(keyring);
  const options = { from: keyring.address, gas: GAS };
  let contract = caver.contract.create(structuredClone(COUNTER_ABI) as unknown as AbiItem[]);
  const listen = async (heard: Heard): Promise<void> => {
    const klay = caver.rpc.klay as unknown as CaverSubscriptions; // which its types do not have
    klay.subscribe("newBlockHeaders", (_, { number }) => heard.heads.push(Number(number)));
    klay.subscribe("pendingTransactions", (_, hash) => heard.pending.push(hash));
    contract.events.Changed().on("data", (event: CaverEvent) => heard.values.push(valueOf(event)));
  };
  return {
    async deploy(first) {
      contract = await contract.deploy(options, COUNTER_CODE, String(first));
    },
    value: async () => BigInt(await contract.call("value")),
    set: async (next) => (await contract.send(options, "set", String(next))).transactionHash,
    async pastValues() {
      const events = await contract.getPastEvents("Changed", { fromBlock: 0 });
      return events.map(valueOf);
    },
    ...(socket && { listen }),
    close: async () => socket?.connection.close(),
  };
}

function valueOf({ returnValues }: CaverEvent): bigint {
  return BigInt(returnValues?.["value"] ?? -1);
}
