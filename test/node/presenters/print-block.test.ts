/** `debug_printBlock`: transactions in the text of a block, as recorded of Kaia v2.2.2. */
import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../../node/model/block.ts";
import { printBlock } from "../../../node/presenters/print-block.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

test("each transaction is printed in its stand-alone JSON form", () => {
  const item = readRecordedChain("test/vectors/chains/osaka-randao").blocks[5];
  if (item === undefined) throw new Error("the chain is too short");
  const text = printBlock(decodeBlock(item));
  expect(text).toContain(
    'Transactions:\n[{"typeInt":8,"type":"TxTypeValueTransfer","nonce":"0x0","gasPrice":"0x5d21dba00","gas":"0xf4240",' +
      '"to":"0x425cab90c099aa97ee4124cfd8b260d39159d8a8","value":"0xde0b6b3be82d7bd",' +
      '"from":"0x4c262cb3d0a8ee1b70c8d23b2e619069724e9e0d","signatures":[{"V":"0x89aa",' +
      '"R":"0x6bb67003bf23f3a0c2c922adedbcab4d159f03f596084b76871b191af4195278",' +
      '"S":"0xa7105b13ef43303aeb16b58f56c0938f21ee456fcb135b9ec944502db330ea0"}],' +
      '"hash":"0xf7ee5daa3bee7362bc82d4469d71e1891f4e72f851ef0879b6568f3b811bceb1"} {"typeInt":9,',
  );
  expect(text).toMatch(/"hash":"0x2f097b[0-9a-f]{58}"}\]\n}\n\)\n$/);
});
