/** viem. */
import { createPublicClient, createWalletClient, defineChain, http, webSocket } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { COUNTER_ABI, COUNTER_CODE } from "../counter-contract.ts";
import type { ContractClient } from "./contract-client.ts";

/** viem over HTTP, where it listens by polling filters, or WebSocket, where it subscribes. */
export function viemClient(url: string, key: `0x${string}`): ContractClient {
  const chain = developmentChain(url);
  const account = privateKeyToAccount(key);
  const socket = url.startsWith("ws") ? webSocket(url) : undefined;
  const transport = socket ?? http(url);
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 });
  const writer = createWalletClient({ account, chain, transport });
  const counter: { address: `0x${string}`; abi: typeof COUNTER_ABI } = { address: "0x", abi: COUNTER_ABI };
  const stops: (() => void)[] = [];
  return {
    async deploy(first) {
      const hash = await writer.deployContract({ abi: COUNTER_ABI, bytecode: COUNTER_CODE, args: [first] });
      counter.address = (await reader.waitForTransactionReceipt({ hash })).contractAddress ?? "0x";
    },
    value: () => reader.readContract({ ...counter, functionName: "value" }),
    async set(next) {
      const hash = await writer.writeContract({ ...counter, functionName: "set", args: [next] });
      return (await reader.waitForTransactionReceipt({ hash })).transactionHash;
    },
    async pastValues() {
      const events = await reader.getContractEvents({ ...counter, eventName: "Changed", fromBlock: 0n });
      return events.map(({ args }) => args.value ?? -1n);
    },
    async listen({ heads, pending, values }) {
      stops.push(
        reader.watchBlockNumber({ emitMissed: true, onBlockNumber: (number) => heads.push(Number(number)) }),
        reader.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes) }),
        reader.watchContractEvent({
          ...counter,
          eventName: "Changed",
          onLogs: (logs) => values.push(...logs.map(({ args }) => args.value ?? -1n)),
        }),
      );
    },
    async close() {
      for (const stop of stops) stop();
      if (socket !== undefined) (await socket({ chain }).value?.getRpcClient())?.close();
    },
  };
}

/** The code of an account after a set-code transaction (EIP-7702), and what the receipt says of that. */
export interface SetCode {
  readonly code: string | undefined;
  readonly type: string;
  readonly status: string;
}

/**
 * Lets the account of `giver` run the code at `contract`: `sender` is a key that viem signs with, or an address that the
 * node signs for.
 */
export async function setCodeWithViem(
  url: string,
  { sender, giver, contract }: Readonly<Record<"sender" | "giver" | "contract", `0x${string}`>>,
): Promise<SetCode> {
  const chain = developmentChain(url);
  const transport = http(url);
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 });
  const account = sender.length === ADDRESS_LENGTH ? sender : privateKeyToAccount(sender);
  const writer = createWalletClient({ account, chain, transport });
  const { address, signAuthorization } = privateKeyToAccount(giver);
  const nonce = await reader.getTransactionCount({ address });
  const authorization = await signAuthorization({ contractAddress: contract, chainId: chain.id, nonce });
  const hash = await writer.sendTransaction({ to: address, authorizationList: [authorization] });
  const { type, status } = await reader.waitForTransactionReceipt({ hash });
  return { type, status, code: await reader.getCode({ address }) };
}

const ADDRESS_LENGTH = 42;

function developmentChain(url: string) {
  return defineChain({
    id: 1337,
    name: "knit",
    nativeCurrency: { name: "KLAY", symbol: "KLAY", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}
