/** Tests of derivation paths. */
import { expect, test } from "@jest/globals";
import { parseDerivationPath } from "../../../node/accounts/hd-path.ts";

test.each([
  ["m/44'/60'/0'/0/1", "m/44'/60'/0'/0/1"],
  [" m / 44 ' / 0x3c' / 010 ", "m/44'/60'/8"],
  ["5", "m/44'/60'/0'/0/5"],
  ["2147483647'", "m/44'/60'/0'/0/2147483647'"],
  ["0", "m/44'/60'/0'/0/0"],
])("%j is the path %j", (text, path) => {
  expect(parseDerivationPath(text)).toBe(path);
});

test.each([
  ["", "empty derivation path"],
  ["m", "empty derivation path"],
  ["/1", "ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones"],
  ["m/x", "invalid component: x"],
  ["m/-1", "invalid component: -1"],
  ["m//1", "invalid component: "],
  ["m/09", "invalid component: 09"],
  ["m/2147483648", "component 2147483648 out of allowed range [0, 2147483647]"],
  ["m/2147483648'", "component 2147483648 out of allowed hardened range [0, 2147483647]"],
  [`m${"/1".repeat(17)}`, "derivation path of more than 16 parts"],
])("%j is refused: %s", (text, message) => {
  expect(() => parseDerivationPath(text)).toThrow(expect.objectContaining({ code: "bad-path", message }));
});
