/** Tests of `knit decode`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bareHex, fromHex, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { runCli } from "../../../node/cli/cli.ts";
import { bloomOf } from "../../../node/model/bloom.ts";
import { encodeReceipt, encodeStoredReceipts, type Receipt } from "../../../node/model/receipt.ts";
import { fakeShell } from "../../support/shell.ts";
import { headerSamples, sampleBlock, transactionSamples } from "../model/samples.ts";
import { complaint, decode, PUBLIC_KEY, sample } from "./decoded.ts";

let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-decode-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

describe("a transaction", () => {
  test("shows fields, both hashes, who signed and who pays", async () => {
    const { raw, txHash, senderTxHash } = sample("0a_FeeDelegatedValueTransferWithRatio");
    const { json, err } = await decode(raw);
    expect(err).toBe("this is transaction (guessed; --type sets the type)\n");
    expect(json).toMatchObject({
      typeInt: 10,
      type: "TxTypeFeeDelegatedValueTransferWithRatio",
      nonce: "0x4d2",
      feeRatio: "0x1e",
      hash: txHash,
      senderTxHash,
      chainId: "0x1",
      from: "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",
      signers: ["0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"],
      feePayer: "0x5a0043070275d9f6054307ee7348bd660849d90f",
      feePayerSigners: ["0x33f524631e573329a550296f595c820d6c65213f"],
      size: raw.length / 2 - 1,
    });
  });

  test("of every kind is known without being told, and has the recorded hash", async () => {
    for (const { name, raw, txHash, sender } of transactionSamples()) {
      if (sender === null && name !== "00_Legacy") continue;
      const { json, err } = await decode(raw);
      expect(err).toContain("this is transaction");
      expect(json["hash"]).toBe(txHash);
      if (sender) expect(json["signers"]).toEqual([sender]);
    }
  });

  test("may be in Ethereum's form, without 0x78", async () => {
    const found = transactionSamples().find(({ typeInt, sender }) => typeInt === 0x7802 && sender);
    const { json } = await decode(`0x${found?.raw.slice(4)}`);
    expect(json["hash"]).toBe(found?.txHash);
  });

  test("with a signature that is nobody's is refused with the Go node's text", async () => {
    const found = transactionSamples().find(({ name, sender }) => sender === null && name !== "00_Legacy");
    expect(await complaint("--type", "transaction", found?.raw ?? "")).toBe(
      "Fatal: transaction at byte 0: invalid transaction v, r, s values\n",
    );
  });
});

describe("headers and blocks", () => {
  test("show hash, seal hash, author, round and validators as recorded", async () => {
    for (const { rlp, hash, sigHash, proposer, round } of headerSamples()) {
      if (sigHash === undefined) continue;
      const { json, err } = await decode(rlp);
      expect(err).toContain("this is header");
      expect(json).toMatchObject({ hash, sealHash: sigHash, author: proposer, round });
      expect(json["validators"]).toEqual(expect.arrayContaining([expect.stringMatching(/^0x[0-9a-f]{40}$/)]));
    }
  });

  test("show committers, vote and governance data in readable form", async () => {
    const committed = headerSamples().filter(({ committers }) => committers);
    for (const { rlp, committers } of committed) {
      expect((await decode(rlp)).json["committers"]).toEqual(committers);
    }
    const jsons = await Promise.all(headerSamples().map(async ({ rlp }) => (await decode(rlp)).json));
    expect(jsons.map((json) => json["vote"])).toContainEqual(
      expect.objectContaining({ key: expect.stringContaining("."), voter: expect.any(String) }),
    );
    expect(jsons.map((json) => json["governance"])).toContainEqual({ "reward.ratio": "50/20/30" });
  });

  test("a block shows its header and all its transactions", async () => {
    const bytes = sampleBlock("prague");
    const file = join(directory, "block.rlp");
    writeFileSync(file, bytes);
    const { json, err } = await decode(file);
    expect(err).toContain("this is block");
    expect(json["size"]).toBe(bytes.length);
    expect(json["transactions"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ hash: expect.any(String), signers: expect.any(Array) }),
      ]),
    );
  });

  test("a damaged transaction inside a block is named with its byte in the block", async () => {
    const bytes = Uint8Array.from(sampleBlock("prague"));
    const [block] = [(await decode(bareHex(bytes))).json];
    const [first] = block["transactions"] as readonly {
      hash: string;
      signatures: readonly { S: string }[];
    }[];
    const s = fromHex(first?.signatures[0]?.S.padStart(66, "0x0") ?? "0x");
    const at = Buffer.from(bytes).indexOf(s);
    bytes.fill(0xff, at, at + 32);
    expect(await complaint("--type", "block", toHex(bytes))).toMatch(
      /^Fatal: transaction 0 at byte \d+: invalid transaction v, r, s values\n$/,
    );
  });
});

describe("receipts", () => {
  const logs = [
    { address: new Uint8Array(20).fill(1), topics: [new Uint8Array(32)], data: Uint8Array.of(7) },
  ];
  const receipt: Receipt = {
    status: 9,
    gasUsed: 21_000n,
    bloom: bloomOf(logs),
    logs,
    transactionHash: new Uint8Array(32).fill(2),
    contractAddress: undefined,
  };
  const log = { address: `0x${"01".repeat(20)}`, topics: [`0x${"00".repeat(32)}`], data: "0x07" };

  test("in the form of the receipts root", async () => {
    const { json, err } = await decode(toHex(encodeReceipt(receipt)));
    expect(err).toContain("this is receipt");
    expect(json).toEqual({
      form: "consensus",
      status: "0x9",
      gasUsed: "0x5208",
      logsBloom: toHex(receipt.bloom),
      logs: [log],
      txError: "evm: execution reverted",
    });
  });

  test("as this node stores them", async () => {
    const { json } = await decode(toHex(encodeStoredReceipts([receipt])));
    expect(json).toEqual([
      expect.objectContaining({ form: "stored", transactionHash: `0x${"02".repeat(32)}`, logs: [log] }),
    ]);
  });

  test("as a Go node stores them", async () => {
    const [hash, none] = [new Uint8Array(32), new Uint8Array(0)];
    const stored = encodeRlp([
      Uint8Array.of(1),
      receipt.bloom,
      hash,
      new Uint8Array(20),
      [[new Uint8Array(20), [], none, Uint8Array.of(5), hash, none, hash, none]],
      Uint8Array.of(0x52, 0x08),
    ]);
    const { json } = await decode(toHex(stored));
    expect(json).toMatchObject({
      form: "stored by a Go node",
      gasUsed: "0x5208",
      logs: [{ blockNumber: "0x5" }],
    });
    expect(json).not.toHaveProperty("txError");
  });

  test("with another number of fields are refused", async () => {
    const bytes = encodeRlpList([Uint8Array.of(1)]);
    expect(await complaint("--type", "receipt", toHex(bytes))).toBe(
      "Fatal: receipt at byte 0: 1 fields, where a receipt has 4, 5 or 6\n",
    );
  });
});

describe("smaller things", () => {
  test("accounts and their keys, with or without 0x", async () => {
    const { json } = await decode(`01ea2a841234567880${PUBLIC_KEY}`);
    expect(json).toMatchObject({ kind: "eoa", nonce: "0x2a", key: { keyType: 2 } });
    expect((await decode(`0x${PUBLIC_KEY}`)).json).toMatchObject({
      name: "public",
      keyType: 2,
      key: { x: "0x3a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d" },
    });
    expect((await decode("05c88201c08203c08180")).json).toMatchObject({
      name: "roleBased",
      key: [{ keyType: 1 }, { keyType: 3 }, { keyType: 0 }],
    });
  });

  test("votes with values of all kinds", async () => {
    const voter = new Uint8Array(20).fill(3);
    const vote = (key: string, value: Uint8Array) => toHex(encodeRlp([voter, Buffer.from(key), value]));
    const two = new Uint8Array(40).fill(4);
    const shown = async (key: string, value: Uint8Array) => (await decode(vote(key, value))).json["value"];
    expect(await shown("governance.unitprice", Uint8Array.of(1, 0))).toBe(256);
    expect(await shown("reward.ratio", Buffer.from("50/25/25"))).toBe("50/25/25");
    expect(await shown("governance.governingnode", voter)).toBe(toHex(voter));
    expect(await shown("governance.addvalidator", two)).toEqual([
      toHex(voter.map(() => 4)),
      toHex(voter.map(() => 4)),
    ]);
    const text = `0x${"ab".repeat(20)}`;
    expect(await shown("governance.removevalidator", Buffer.from(text))).toBe(text);
    expect(await shown("reward.useginicoeff", Uint8Array.of(1))).toBe(true);
  });

  test("governance data keeps big numbers exact", async () => {
    const text = '{"governance.unitprice":18446744073709551615,"a.b":[18446744073709551614]}';
    const { out, err } = await decode(toHex(encodeRlp(Buffer.from(text))));
    expect(err).toContain("this is governance");
    expect(out).toMatch(/18446744073709551615,[^]*18446744073709551614/);
  });

  test("extra data and plain RLP", async () => {
    const extra = `${"00".repeat(31)}02d8d594${"11".repeat(20)}80c0`;
    expect((await decode(extra)).json).toMatchObject({ round: 2, validators: [`0x${"11".repeat(20)}`] });
    expect((await decode("c5820102c101")).json).toEqual(["0x0102", ["0x01"]]);
  });
});

test("a file may hold hex text, with line ends in it", async () => {
  const file = join(directory, "key.txt");
  writeFileSync(file, `0x${PUBLIC_KEY.slice(0, 20)}\n${PUBLIC_KEY.slice(20)}\n`);
  expect((await decode(file)).json).toMatchObject({ keyType: 2 });
});

test("help names every type, and --type means the node's kind in other commands", async () => {
  const { shell, out } = fakeShell();
  expect(await runCli(["decode", "--help"], shell)).toBe(0);
  expect(out()).toContain("--type TEXT");
  expect(out()).toMatch(/^ {2}account-key +of any kind$/m);
  const run = fakeShell();
  expect(await runCli(["run", "--type", "header"], run.shell)).toBe(1);
  expect(run.err()).toContain("one of core, proxy, endpoint");
});
