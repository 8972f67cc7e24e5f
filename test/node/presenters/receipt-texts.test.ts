/** Tests of the cached texts of receipts. */
import { expect, test } from "@jest/globals";
import type { RewindListener } from "../../../node/chain/chain.ts";
import { ReceiptTexts } from "../../../node/presenters/receipt-texts.ts";

const HASH = new Uint8Array(32).fill(1);

function theTexts() {
  const rewinds: RewindListener[] = [];
  let oldest = 1;
  const chain = {
    oldestBody: () => oldest,
    onRewind: (listener: RewindListener) => (rewinds.push(listener), () => undefined),
  };
  const texts = new ReceiptTexts(chain, 100_000);
  let written = 0;
  const write = () => `{"written":${++written}}`;
  const prune = () => oldest++;
  return { texts, write, prune, rewind: () => rewinds.forEach((listener) => listener([], {} as never)) }; // not read
}

test("a receipt is written once in each form", () => {
  const { texts, write } = theTexts();
  const forms = ["chain", "eth", "chain", "eth"] as const;
  expect(forms.map((form) => texts.text(HASH, form, write))).toEqual([
    '{"written":1}',
    '{"written":2}',
    '{"written":1}',
    '{"written":2}',
  ]);
});

test("a missing receipt is asked for again", () => {
  const { texts, write } = theTexts();
  expect(texts.text(HASH, "eth", () => undefined)).toBeUndefined();
  expect(texts.text(HASH, "eth", write)).toBe('{"written":1}');
});

test("a receipt is written again after its block left the chain", () => {
  const { texts, write, rewind } = theTexts();
  texts.text(HASH, "eth", write);
  rewind();
  expect(texts.text(HASH, "eth", write)).toBe('{"written":2}');
});

test("no receipt is kept when blocks were pruned", () => {
  const { texts, write, prune } = theTexts();
  texts.text(HASH, "eth", write);
  prune();
  expect(texts.text(HASH, "eth", () => undefined)).toBeUndefined();
});
