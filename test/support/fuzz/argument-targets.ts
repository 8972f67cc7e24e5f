/** Targets of fuzzing: arguments of RPC methods, as JSON text and as bytes, and what they are passed on as. */
import { fromHex } from "../../../node/bytes/hex.ts";
import { blockNumber, blockReference, decimalOrHex } from "../../../node/calls/arguments/block-number.ts";
import { logFilter, logFilterJson } from "../../../node/calls/arguments/log-filter.ts";
import { simulationArgs } from "../../../node/calls/arguments/simulation.ts";
import { stateOverrides } from "../../../node/calls/arguments/state-overrides.ts";
import { durationMs, fileTraceConfig, traceConfig } from "../../../node/calls/arguments/trace-config.ts";
import {
  accountUpdateArgs,
  callArgs,
  callArgsJson,
  ethArgs,
  sendArgs,
  transactionHash,
  valueTransferArgs,
} from "../../../node/calls/arguments/transaction-args.ts";
import {
  decodeChainTransaction,
  decodeEitherTransaction,
  decodeEthereumTransaction,
} from "../../../node/calls/raw-transaction.ts";
import { decodeCallerBlock } from "../../../node/calls/traces/traced-blocks.ts";
import { typedData, typedDataDigest } from "../../../node/calls/typed-data.ts";
import { CodecError, type Decoder } from "../../../node/jsonrpc/codec.ts";
import { RpcError } from "../../../node/jsonrpc/errors.ts";
import { parseJson } from "../../../node/jsonrpc/json-text.ts";
import { TransactionError } from "../../../node/model/error.ts";
import { blockSamples, transactionSamples } from "../../node/model/samples.ts";
import { assertSameBytes, assertSameJson, type FuzzTarget, jsonTexts, textOf } from "./target.ts";

/** First byte of the Ethereum types in the encoding of the chain. */
const ETHEREUM = 0x78;
const ADDRESS = `0x${"11".repeat(20)}`;
const HASH = `0x${"22".repeat(32)}`;
const CALL = { from: ADDRESS, to: ADDRESS, gas: "0x5208", value: "0x1", data: "0x6001", nonce: "0x0" };
const TYPED = {
  types: {
    Order: [
      { name: "maker", type: "Person" },
      { name: "pair", type: "int8[2]" },
      { name: "tag", type: "bytes4" },
    ],
    Person: [{ name: "wallet", type: "address" }],
  },
  primaryType: "Order",
  domain: { name: "Token", chainId: 1337, verifyingContract: ADDRESS },
  message: { maker: { wallet: ADDRESS }, pair: [-1, "0x7f"], tag: "0xdeadbeef" },
};

/** The targets, one row each. */
export const argumentTargets: readonly FuzzTarget[] = [
  {
    name: "log-filter",
    refuses: [CodecError],
    seeds: () =>
      jsonTexts(
        { fromBlock: "0x1", toBlock: "0x7fffffffffffffff", address: ADDRESS, topics: [HASH, null, [HASH]] },
        { blockHash: HASH, address: [ADDRESS], topics: [[], [null]] },
        { fromBlock: "earliest", toBlock: 7, topics: [] },
      ),
    run: (input) =>
      decodeWith(input, (json) => {
        const passedOn = logFilterJson(logFilter.decode(json));
        assertSameJson(passedOn, logFilterJson(logFilter.decode(parseJson(JSON.stringify(passedOn)))));
      }),
  },
  {
    name: "call-arguments",
    refuses: [CodecError],
    seeds: () =>
      jsonTexts(
        CALL,
        { ...CALL, accessList: [{ address: ADDRESS, storageKeys: [HASH] }], maxFeePerGas: "0x9" },
        {
          to: ADDRESS,
          authorizationList: [
            { chainId: "0x1", address: ADDRESS, nonce: "0x0", yParity: "0x1", r: "0x1", s: "0x2" },
          ],
        },
      ),
    run: (input) =>
      decodeWith(input, (json) => {
        const passedOn = callArgsJson(ethArgs.decode(json));
        assertSameJson(passedOn, callArgsJson(ethArgs.decode(parseJson(JSON.stringify(passedOn)))));
      }),
  },
  ...parameterTargets(),
  {
    name: "typed-data",
    refuses: [RpcError],
    seeds: () => jsonTexts(TYPED, { ...TYPED, types: { ...TYPED.types, EIP712Domain: [] }, domain: {} }),
    run: (input) =>
      decodeWith(input, (json) => {
        const digest = typedDataDigest(typedData.decode(json));
        assertSameBytes(digest, typedDataDigest(typedData.decode(textOf(input))));
      }),
  },
  ...[decodeChainTransaction, decodeEthereumTransaction, decodeEitherTransaction].map(
    (decode, i): FuzzTarget => ({
      name: `raw-transaction-${["chain", "ethereum", "either"][i]}`,
      refuses: [RpcError, TransactionError],
      seeds: () =>
        transactionSamples().flatMap(({ raw }) => {
          const bytes = fromHex(raw);
          return bytes[0] === ETHEREUM ? [bytes, bytes.subarray(1)] : [bytes];
        }),
      run: (input) => void decode(input),
    }),
  ),
  {
    name: "caller-block",
    refuses: [RpcError],
    seeds: () => blockSamples().map(({ rlp }) => fromHex(rlp)),
    run: (input) => void decodeCallerBlock(input),
  },
];

/** Parameters that are not passed on: whatever is read of them is read without another error. */
function parameterTargets(): FuzzTarget[] {
  const rows: readonly (readonly [name: string, decoder: Decoder<unknown>, ...seeds: unknown[]])[] = [
    ["sent-transaction", sendArgs, { ...CALL, typeInt: 8, feeRatio: 30, signatures: [{ V: "0x1" }] }],
    ["called-transaction", callArgs, CALL],
    ["value-transfer", valueTransferArgs, CALL],
    ["account-update", accountUpdateArgs, { from: ADDRESS, key: "0x02a1" }],
    ["transaction-hash", transactionHash, HASH],
    ["simulation", simulationArgs, { blockStateCalls: [{ calls: [CALL], blockOverrides: { time: "0x1" } }] }],
    ["state-overrides", stateOverrides, { [ADDRESS]: { balance: "0x1", stateDiff: { [HASH]: HASH } } }],
    ["trace-config", tracing(), { tracer: "callTracer", timeout: "1m30s", limit: 5 }],
    ["file-trace-config", fileTraceConfig, { txHash: HASH, disableStack: true }],
    ["block-number", blockNumber, "0x10", "latest", 5],
    ["block-reference", blockReference, "safe", HASH, { blockNumber: "0x1" }, { blockHash: HASH }],
    ["count", decimalOrHex, 5, "0x5", "12"],
  ];
  return rows.map(([name, decoder, ...seeds]) => ({
    name,
    refuses: [CodecError, RpcError],
    seeds: () => jsonTexts(...seeds),
    run: (input) => decodeWith(input, (json) => void decoder.decode(json)),
  }));
}

/** The decoder of trace options with the durations in them. */
function tracing(): Decoder<unknown> {
  return {
    ...traceConfig,
    decode(json) {
      const config = traceConfig.decode(json);
      for (const time of [config.timeout, config.loggerTimeout]) {
        if (time !== undefined && !Number.isFinite(durationMs(time))) throw new Error(`${time} has no end`);
      }
      return config;
    },
  };
}

/** Decodes the JSON value of a text; any other text does not reach a decoder. */
function decodeWith(input: Uint8Array, decode: (json: unknown) => void): void {
  let json: unknown;
  try {
    json = parseJson(textOf(input));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return;
    throw error;
  }
  decode(json);
}
