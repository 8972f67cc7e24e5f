/** Tests of the texts of ABI values, of `console.log` lines and of custom errors, against ethers' encoder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AbiCoder, Interface, id } from "ethers";
import { abiTexts } from "../../../node/presenters/abi-values.ts";
import { CONSOLE_ADDRESS, consoleLine, consoleLines } from "../../../node/presenters/console-log.ts";
import { CustomErrors } from "../../../node/presenters/custom-errors.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;

function encode(signature: string, ...values: readonly unknown[]): Buffer {
  return Buffer.from(
    new Interface([`function ${signature}`]).encodeFunctionData(signature, values).slice(2),
    "hex",
  );
}

function consoleCall(text: string) {
  return { to: CONSOLE_ADDRESS, input: `0x${encode("log(string)", text).toString("hex")}` };
}

describe("console.log", () => {
  test.each([
    ["log()", [], ""],
    ["log(string)", ["hello"], "hello"],
    ["log(string,uint256)", ["balance is %s of", 5n], "balance is 5 of"],
    [
      "log(string,uint256,string)",
      ["100%% of %d", 2n ** 256n - 1n, "rest"],
      `100% of ${2n ** 256n - 1n} rest`,
    ],
    ["log(string)", ["%s"], "%s"],
    ["log(uint256,bool,address,string)", [1n, true, ADDRESS, "%s"], `1 true ${ADDRESS} %s`],
    ["log(int256)", [-3n], "-3"],
    ["logInt(int256)", [-(2n ** 255n)], `-${2n ** 255n}`],
    ["logBytes(bytes)", ["0x0102"], "0x0102"],
    ["logBytes4(bytes4)", ["0x01020304"], "0x01020304"],
    ["log(string)", ["\u001b[31mred\u0007\ttab"], "\ufffd[31mred\ufffd\ttab"],
  ])("%s with %j", (signature, values, line) => {
    expect(consoleLine(encode(signature, ...values))).toBe(line);
  });

  test("selectors of older libraries have the short names of types", () => {
    const input = Buffer.from(
      `${id("log(string,uint)").slice(2, 10)}${AbiCoder.defaultAbiCoder().encode(["string", "uint256"], ["n", 7n]).slice(2)}`,
      "hex",
    );
    expect(consoleLine(input)).toBe("n 7");
  });

  test("input that no function has is no line", () => {
    expect(consoleLine(Buffer.alloc(0))).toBeUndefined();
    expect(consoleLine(encode("log(string)", "cut").subarray(0, 40))).toBeUndefined();
  });

  test("lines are in the order of the calls, those of inner frames too", () => {
    expect(CONSOLE_ADDRESS).toBe("0x000000000000000000636f6e736f6c652e6c6f67");
    expect(
      consoleLines({
        calls: [consoleCall("a"), { to: ADDRESS, calls: [consoleCall("b")] }, consoleCall("c")],
      }),
    ).toEqual(["a", "b", "c"]);
  });
});

describe("ABI values", () => {
  const POINT = { type: "tuple", components: [{ type: "uint8" }, { type: "string" }] };

  test("lists, tuples and fixed arrays are written in brackets", () => {
    const coded = AbiCoder.defaultAbiCoder().encode(
      ["uint256[]", "tuple(uint8,string)[2]", "bytes3[2]"],
      [
        [1n, 2n],
        [
          [1n, "a"],
          [2n, "b"],
        ],
        ["0x010203", "0x040506"],
      ],
    );
    const types = [{ type: "uint256[]" }, { ...POINT, type: "tuple[2]" }, { type: "bytes3[2]" }];
    expect(abiTexts(types, Buffer.from(coded.slice(2), "hex"))).toEqual([
      "[1, 2]",
      "[(1, a), (2, b)]",
      "[0x010203, 0x040506]",
    ]);
  });

  test.each([
    ["a list of 2^255 items", "uint256[]", 2n ** 255n],
    ["a string that ends behind the bytes", "string", 64n],
    ["a list of itself", "uint256[][][][]", 0n],
  ])("%s is refused at once", (_case, type, word) => {
    const words = [32n, word, word, word].map((each) => each.toString(16).padStart(64, "0")).join("");
    const texts = abiTexts([{ type }], Buffer.from(words, "hex"));
    expect(texts === undefined || texts.join("").length < 100).toBe(true);
    expect(abiTexts([{ type }], Buffer.alloc(16))).toBeUndefined();
  });

  test("fixed arrays of absurd lengths end by the limit of values", () => {
    expect(abiTexts([{ type: "uint8[0][100000000]" }], Buffer.alloc(64))).toBeUndefined();
    expect(abiTexts([{ type: `uint8${"[2]".repeat(40)}` }], Buffer.alloc(64))).toBeUndefined();
  });
});

describe("custom errors", () => {
  let directory = "";
  const ABI = new Interface(["error Short(uint256 wanted, string reason)", "error Bare()"]);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knit-artifacts-"));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const output = (name: string, values: readonly unknown[] = []) =>
    Buffer.from(ABI.encodeErrorResult(name, values).slice(2), "hex");

  test("an artifact that is written later names its errors", async () => {
    const errors = new CustomErrors(directory);
    const short = output("Short", [5n, "no\u001bmoney"]);
    expect(await errors.describe(short)).toMatch(/^reverted with 0x[0-9a-f]+$/);
    writeFileSync(join(directory, "broken.json"), "{");
    writeFileSync(join(directory, "Token.json"), JSON.stringify({ abi: JSON.parse(ABI.formatJson()) }));
    expect(await errors.describe(short)).toBe('reverted with Short(wanted: 5, reason: "no\ufffdmoney")');
    expect(await errors.describe(output("Bare"))).toBe("reverted with Bare()");
  });

  test("reasons and panics need no artifact", async () => {
    const errors = new CustomErrors(undefined);
    const reason = new Interface(["error Error(string)"]).encodeErrorResult("Error", ["why"]);
    const panic = new Interface(["error Panic(uint256)"]).encodeErrorResult("Panic", [0x11]);
    expect(await errors.describe(Buffer.from(reason.slice(2), "hex"))).toBe('reverted with "why"');
    expect(await errors.describe(Buffer.from(panic.slice(2), "hex"))).toContain(
      "arithmetic underflow or overflow",
    );
    expect(await errors.describe(Buffer.alloc(0))).toBe("reverted without a reason");
  });
});
