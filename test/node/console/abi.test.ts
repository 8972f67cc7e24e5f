/** Tests of the contract ABI of the console. */
import { expect, test } from "@jest/globals";
import { BigNumber } from "bignumber.js";
import { AbiCoder, Interface, id } from "ethers";
import {
  type AbiInput,
  decodeParameters,
  encodeParameters,
  signatureHash,
} from "../../../node/console/abi.ts";

const POINT: AbiInput = {
  type: "tuple[2]",
  name: "points",
  components: [
    { name: "x", type: "int64" },
    { name: "label", type: "string" },
  ],
};
const TYPES: readonly (readonly [input: AbiInput, value: unknown])[] = [
  [{ type: "uint256" }, "1208925819614629174706189"],
  [{ type: "int8" }, "-3"],
  [{ type: "address" }, "0x75a59b94889a05c03c66c3c84e9d2f8308ca4abd"],
  [{ type: "bool" }, true],
  [{ type: "bytes4" }, "0xdeadbeef"],
  [{ type: "bytes" }, `0x${"ab".repeat(40)}`],
  [{ type: "string" }, "größer als ein Wort von zweiunddreißig Bytes"],
  [{ type: "uint16[]" }, ["1", "2", "3"]],
  [{ type: "string[2][]" }, [["a", "b"]]],
  [
    POINT,
    [
      ["-1", "eins"],
      ["2", "zwei"],
    ],
  ],
];

const asText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asText);
  return BigNumber.isBigNumber(value) ? value.toFixed() : value;
};

test("values of all types are encoded as ethers does, and read back", () => {
  const inputs = TYPES.map(([input]) => input);
  const values = TYPES.map(([, value]) => value);
  const types = inputs.map(({ type }) => type.replace(/^tuple/, "tuple(int64 x, string label)"));
  const expected = AbiCoder.defaultAbiCoder().encode(types, values);
  expect(`0x${encodeParameters(inputs, values)}`).toBe(expected);
  expect(asText(decodeParameters(inputs, expected))).toEqual(values);
});

const word = (value: number): string => value.toString(16).padStart(64, "0");

test("an answer of 64 kB whose lists overlap is refused, which once became a million numbers", () => {
  const count = 1_000;
  const inner = word(count) + word(7).repeat(count);
  const outer = word(count) + word(32 * count).repeat(count);
  expect(() => decodeParameters([{ type: "uint256[][]" }], `0x${word(32)}${outer}${inner}`)).toThrow(
    "the lists of the result overlap",
  );
});

test("a signature names tuples by their members", () => {
  const entry = { type: "function", name: "put", inputs: [POINT, { type: "bool" }] };
  expect(`0x${signatureHash(entry)}`).toBe(id("put((int64,string)[2],bool)"));
  expect(new Interface([entry]).getFunction("put")?.selector).toBe(`0x${signatureHash(entry).slice(0, 8)}`);
});

test.each([
  ["uint8", "256", "out of range for uint8: 256"],
  ["int8", "-129", "out of range for int8: -129"],
  ["uint8", "1.5", "not a whole number for uint8: 1.5"],
  ["address", "0x12", "invalid address"],
  ["bytes2", "0x010203", "too long for bytes2: 3 bytes"],
  ["bytes", "abc", "not hex for bytes: abc"],
  ["uint8[2]", ["1"], "not a list for uint8[2]"],
  ["float", "1", "unknown type: float"],
])("%s does not take %s", (type, value, message) => {
  expect(() => encodeParameters([{ type }], [value])).toThrow(message);
});

test("an answer that is cut off is refused", () => {
  const whole = encodeParameters([{ type: "uint256[]" }], [["1", "2"]]);
  for (const hex of [whole.slice(0, -64), whole.slice(0, 64), `${"f".repeat(64)}${whole.slice(64)}`]) {
    expect(() => decodeParameters([{ type: "uint256[]" }], `0x${hex}`)).toThrow(
      "shorter than its ABI requires",
    );
  }
});
