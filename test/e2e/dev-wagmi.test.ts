/** wagmi's actions against `knit dev`, through its mock connector: the node signs, as a wallet does for a page. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  type Config,
  connect,
  createConfig,
  deployContract,
  disconnect,
  estimateGas,
  getAccount,
  getBalance,
  getChainId,
  getConnectorClient,
  getTransactionReceipt,
  http,
  mock,
  prepareTransactionRequest,
  readContract,
  sendTransaction,
  signMessage,
  signTypedData,
  simulateContract,
  verifyMessage,
  verifyTypedData,
  waitForTransactionReceipt,
  watchBlockNumber,
  watchContractEvent,
  writeContract,
} from "@wagmi/core";
import { createTestClient, defineChain, encodeAbiParameters, parseEther } from "viem";
import { COUNTER_ABI, COUNTER_CODE } from "../support/counter-contract.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";

let node: DevNode;
let config: Config;
let chain: ReturnType<typeof chainOf>;

function chainOf(url: string) {
  return defineChain({
    id: 1337,
    name: "development",
    nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}

beforeAll(async () => {
  node = await startDevNode();
  chain = chainOf(node.http);
  const accounts = [fundedKey(node, 0).address, fundedKey(node, 1).address] as const;
  config = createConfig({
    chains: [chain],
    connectors: [mock({ accounts })],
    transports: { [chain.id]: http(node.http) },
    pollingInterval: 50,
    cacheTime: 0,
  });
  const [connector] = config.connectors;
  if (connector === undefined) throw new Error("the configuration has no connector");
  await connect(config, { connector });
}, 120_000);

afterAll(async () => {
  await disconnect(config);
  await node.knit.stop();
});

test("an account connects, sends and sees the receipt and the balance", async () => {
  const { address, status, chainId } = getAccount(config);
  expect([address?.toLowerCase(), status, chainId]).toEqual([fundedKey(node, 0).address, "connected", 1337]);
  expect(getChainId(config)).toBe(1337);
  expect(await (await getConnectorClient(config)).request({ method: "eth_accounts" })).toHaveLength(2);
  const value = parseEther("1.5");
  expect(await estimateGas(config, { to: NOBODY, value })).toBe(21_000n);
  const request = await prepareTransactionRequest(config, { to: NOBODY, value });
  expect(request).toMatchObject({ type: "eip1559", gas: 21_000n });
  const hash = await sendTransaction(config, { to: NOBODY, value });
  expect(await waitForTransactionReceipt(config, { hash })).toMatchObject({ status: "success" });
  expect(await getTransactionReceipt(config, { hash })).toMatchObject({ to: NOBODY });
  expect(await getBalance(config, { address: NOBODY })).toMatchObject({ value, symbol: "KAIA" });
});

test("messages and typed data are signed by the node and verified", async () => {
  const { address = NOBODY } = getAccount(config);
  const signature = await signMessage(config, { message: "hello" });
  expect(await verifyMessage(config, { address, message: "hello", signature })).toBe(true);
  const typed = {
    domain: { name: "Mail", chainId: 1337 },
    types: { Mail: [{ name: "to", type: "address" }] },
    primaryType: "Mail",
    message: { to: NOBODY },
  } as const;
  const signed = await signTypedData(config, typed);
  expect(await verifyTypedData(config, { ...typed, address, signature: signed })).toBe(true);
});

test("a contract is deployed, read, simulated and written, and its events and blocks are heard", async () => {
  const deployed = await deployContract(config, {
    abi: COUNTER_ABI,
    bytecode: COUNTER_CODE,
    args: [7n],
  });
  const { contractAddress } = await waitForTransactionReceipt(config, { hash: deployed });
  const contract = { address: contractAddress ?? NOBODY, abi: COUNTER_ABI } as const;
  expect(await readContract(config, { ...contract, functionName: "value" })).toBe(7n);
  const event = Promise.withResolvers<unknown>();
  const block = Promise.withResolvers<bigint>();
  const stops = [
    watchContractEvent(config, {
      ...contract,
      eventName: "Changed",
      onLogs: ([log]) => event.resolve(log?.args),
      onError: event.reject,
    }),
    watchBlockNumber(config, {
      onBlockNumber: (number, before) => before !== undefined && block.resolve(number - before),
      onError: block.reject,
    }),
  ];
  const silence = new AbortController();
  const heard = Promise.all([event.promise, block.promise]).finally(() => silence.abort());
  const { request } = await simulateContract(config, { ...contract, functionName: "set", args: [9n] });
  while (!silence.signal.aborted) {
    const hash = await writeContract(config, request); // again, until the watchers have begun
    expect(await waitForTransactionReceipt(config, { hash })).toMatchObject({ status: "success" });
  }
  expect(await heard).toMatchObject([{ value: 9n }, expect.any(BigInt)]);
  for (const stop of stops) stop();
  expect(await readContract(config, { ...contract, functionName: "value" })).toBe(9n);
});

test("a failing call names its reason, and a test client of the same chain moves it", async () => {
  const reason = encodeAbiParameters([{ type: "string" }], ["too late"]).slice(2);
  const client = createTestClient({ mode: "anvil", chain, transport: http(node.http) });
  const bytecode = `0x6064600c60003960646000fd08c379a0${reason}` as const;
  await client.setCode({ address: NOBODY, bytecode });
  await expect(
    simulateContract(config, { address: NOBODY, abi: COUNTER_ABI, functionName: "set", args: [1n] }),
  ).rejects.toThrow("too late");
  const id = await client.snapshot();
  await client.setBalance({ address: NOBODY, value: 5n });
  expect((await getBalance(config, { address: NOBODY })).value).toBe(5n);
  await client.revert({ id });
  expect((await getBalance(config, { address: NOBODY })).value).toBe(parseEther("1.5"));
});
