/** The accounts of a development chain. */
import { expect, test } from "@jest/globals";
import {
  DEVELOPMENT_KEYS,
  DEVELOPMENT_MNEMONIC,
  developmentKeys,
} from "../../../node/accounts/development-keys.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";

test("the ready keys are those of the mnemonic, and more accounts begin with them", async () => {
  const derived = await developmentKeys({ accounts: 11, mnemonic: DEVELOPMENT_MNEMONIC });
  expect(derived.slice(0, 10).map(toHex)).toEqual(DEVELOPMENT_KEYS.map(toHex));
  expect(derived.map((key) => toHex(addressOfKey(key)))).toContain(
    "0xbcd4042de499d14e55001ccbb24a551f3b954096",
  );
  expect(await developmentKeys({ accounts: 2, mnemonic: DEVELOPMENT_MNEMONIC })).toEqual(derived.slice(0, 2));
});

test("another mnemonic has other accounts, and what is no mnemonic is refused", async () => {
  const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
  const [key = new Uint8Array(0)] = await developmentKeys({ accounts: 1, mnemonic });
  expect(toHex(addressOfKey(key))).toBe("0x58a57ed9d8d624cbd12e2c467d34787555bb1b25");
  await expect(developmentKeys({ accounts: 1, mnemonic: "test test junk" })).rejects.toMatchObject({
    code: "bad-mnemonic",
  });
});
