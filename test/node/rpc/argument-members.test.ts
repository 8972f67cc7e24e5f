/** Argument objects have all members of the Go node's structs (`api/tx_args.go@v2.2.2`). */
import { expect, test } from "@jest/globals";
import {
  accountUpdateArgs,
  callArgs,
  ethArgs,
  sendArgs,
  valueTransferArgs,
} from "../../../node/calls/arguments/transaction-args.ts";

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
