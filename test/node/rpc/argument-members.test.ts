/** Argument objects have all members of the Go node's structs (`api/tx_args.go@v2.2.2`) and the errors of its decoder. */
import { expect, test } from "@jest/globals";
import { stateOverrides } from "../../../node/calls/arguments/state-overrides.ts";
import { fileTraceConfig, traceConfig } from "../../../node/calls/arguments/trace-config.ts";
import {
  accountUpdateArgs,
  callArgs,
  ethArgs,
  sendArgs,
  valueTransferArgs,
} from "../../../node/calls/arguments/transaction-args.ts";
import { parseJson } from "../../../node/jsonrpc/json-text.ts";

const CALL =
  "from to gas gasPrice maxFeePerGas maxPriorityFeePerGas value data input accessList chainId".split(" ");

test.each([
  [
    "SendTxArgs",
    sendArgs,
    [
      ...CALL,
      ..."nonce typeInt codeFormat humanReadable key authorizationList feePayer feeRatio signatures".split(
        " ",
      ),
    ],
  ],
  ["EthTransactionArgs", ethArgs, [...CALL, "nonce", "authorizationList"]],
  ["CallArgs", callArgs, CALL],
  ["ValueTransferTxArgs", valueTransferArgs, "from gas gasPrice nonce to value".split(" ")],
  ["AccountUpdateTxArgs", accountUpdateArgs, "from gas gasPrice nonce key".split(" ")],
])("%s", (_, { schema }, expected) => {
  expect(Object.keys(schema["properties"] ?? {}).sort()).toEqual(expected.toSorted());
});

test.each([
  [
    ethArgs,
    '{"from":"0x1","accessList":1}',
    "hex string of odd length into Go struct field EthTransactionArgs.from",
  ],
  [
    ethArgs,
    '{"accessList":1,"from":"0x1"}',
    "hex string of odd length into Go struct field EthTransactionArgs.from",
  ],
  [
    ethArgs,
    '{"accessList":1,"authorizationList":2}',
    "number into Go struct field EthTransactionArgs.accessList",
  ],
  [
    sendArgs,
    '{"typeInt":-1,"accessList":[{"address":"0x0000000000000000000000000000000000000001"}]}',
    "missing required field 'storageKeys' for AccessTuple",
  ],
  [
    sendArgs,
    '{"typeInt":"1","accessList":[{"address":1,"storageKeys":1}]}',
    "non-string into Go struct field SendTxArgs.accessList.address of type common.Address",
  ],
  [sendArgs, '{"typeInt":8.0}', "number 8.0 into Go struct field SendTxArgs.typeInt of type types.TxType"],
  [
    sendArgs,
    '{"feeRatio":1e400}',
    "number 1e400 into Go struct field SendTxArgs.feeRatio of type types.FeeRatio",
  ],
  [
    traceConfig,
    '{"limit":"1","timeout":2}',
    "string into Go struct field TraceConfig.LogConfig.Limit of type int",
  ],
  [traceConfig, '{"tracer":1}', "number into Go struct field TraceConfig.Tracer of type string"],
  [
    fileTraceConfig,
    '{"debug":1,"txHash":1}',
    "non-string into Go struct field StdTraceConfig.TxHash of type common.Hash",
  ],
  [stateOverrides, '{"0x1":1}', "hex string of odd length into Go value of type common.Address"],
  [
    stateOverrides,
    '{"0x0000000000000000000000000000000000000001":1}',
    "number into Go value of type api.EthOverrideAccount",
  ],
])("the error that Go reports for an object with several faults: %#", (codec, text, message) => {
  expect(() => codec.decode(parseJson(text))).toThrow(message);
});
