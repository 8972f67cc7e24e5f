/** Damaged bytes never crash the command: they are another thing that can be read, or are refused with a place. */
import { expect, test } from "@jest/globals";
import { bareHex, fromHex } from "../../../node/bytes/hex.ts";
import { runCli } from "../../../node/cli/cli.ts";
import { seededRandom } from "../../support/random.ts";
import { fakeShell } from "../../support/shell.ts";
import { headerSamples, sampleBlock, transactionSamples } from "../model/samples.ts";
import { PUBLIC_KEY } from "./decoded.ts";

const ROUNDS = 10 * Number(process.env["KNIT_MUTATIONS"] ?? 40);
const ACCOUNT = fromHex(`0x01ea2a841234567880${PUBLIC_KEY}`);

const seeds = [
  ...transactionSamples().map(({ raw }) => fromHex(raw)),
  ...headerSamples().map(({ rlp }) => fromHex(rlp)),
  sampleBlock("prague"),
  ACCOUNT,
  ACCOUNT.subarray(9),
].filter(({ length }) => length < 20_000);

test("mutated input gives JSON or one line with a byte", async () => {
  const random = seededRandom(6);
  const below = (limit: number): number => Math.floor(random() * limit);
  let read = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = Uint8Array.from(seeds[round % seeds.length] ?? ACCOUNT);
    for (let i = below(3); i >= 0; i--) bytes[below(bytes.length)] = below(256);
    const cut = below(5) === 0 ? bytes.subarray(0, 1 + below(bytes.length)) : bytes;
    const { shell, out, err } = fakeShell();
    const code = await runCli(["decode", bareHex(cut)], shell);
    if (code === 0) {
      expect(() => JSON.parse(out()) as unknown).not.toThrow();
      read++;
    } else {
      expect(err()).toMatch(/^Fatal: these bytes are of no known type: .*byte \d+.*\n$/);
    }
  }
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(ROUNDS);
});
