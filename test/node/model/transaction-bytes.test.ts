/**
 * Transaction bytes are read as in the Go node: what is refused, and the facts, hashes and signers of the rest. The
 * recorded slice has every mutation of every type; with a peer program in KNIT_PEER_TRANSITIONS as many random cases as
 * KNIT_TRANSITIONS says are decoded by both. KNIT_SEED and KNIT_CASE print one case again.
 */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import {
  type BytesCase,
  type BytesResult,
  decodedThere,
  decodeHere,
} from "../../support/oracle/bytes-case.ts";
import { bytesCase } from "../../support/oracle/bytes-cases.ts";
import { bytesRequest, openPeer, peerProgram, type TransitionPeer } from "../../support/oracle/peer.ts";
import { bytesToRecord, readRecordedBytes, writeRecordedBytes } from "../../support/oracle/recorded-bytes.ts";

const SEED = Number(process.env["KNIT_SEED"] ?? 0) || randomInt(2 ** 31);
const CASE = process.env["KNIT_CASE"];
const COUNT = Number(process.env["KNIT_TRANSITIONS"] ?? 2000);
/** Cases that are open at the peer at once. */
const BATCH = 200;
const TIMEOUT_MS = 60_000 + 20 * COUNT;

test("every recorded transaction is read as in the Go node", () => {
  const cases = readRecordedBytes();
  const read = cases.filter(({ result }) => !("refused" in result));
  expect(new Set(read.map(({ result }) => result["type"]))).toEqual(
    new Set(transactionTypes.map(({ code }) => code)),
  );
  expect(cases.length - read.length).toBeGreaterThan(500);
  const different = cases.filter(({ one, result }) => !isDeepStrictEqual(decodeHere(one), result));
  expect(
    different.slice(0, 3).map(({ one, result }) => ({ one, here: decodeHere(one), there: result })),
  ).toEqual([]);
});

const [judged, reason] =
  peerProgram === undefined ? [test.skip, " (skipped: KNIT_PEER_TRANSITIONS names no program)"] : [test, ""];

judged(
  `random transaction bytes are read as by the peer program${reason}`,
  async () => {
    await using peer = openPeer(peerProgram ?? "");
    const numbers = CASE === undefined ? Array.from({ length: COUNT }, (_, index) => index) : [Number(CASE)];
    const different: object[] = [];
    for (let at = 0; at < numbers.length; at += BATCH) {
      const batch = numbers.slice(at, at + BATCH);
      const found = await Promise.all(batch.map((number) => differenceOf(peer, number)));
      different.push(...found.filter((difference) => difference !== undefined));
    }
    process.stderr.write(
      `transaction bytes: seed ${SEED}, ${numbers.length} cases, ${different.length} different\n`,
    );
    expect(different.slice(0, 3)).toEqual([]);
  },
  TIMEOUT_MS,
);

async function differenceOf(peer: TransitionPeer, number: number): Promise<object | undefined> {
  const one = bytesCase(SEED, number);
  const there = await answerOf(peer, one);
  const here = decodeHere(one);
  return isDeepStrictEqual(here, there) ? undefined : { number, one, here, there };
}

async function answerOf(peer: TransitionPeer, one: BytesCase): Promise<BytesResult> {
  return decodedThere(await peer.ask(bytesRequest(one)));
}

(process.env["KNIT_RECORD"] === "bytes" ? judged : test.skip)(
  "the slice is recorded again from the peer program (skipped: KNIT_RECORD is not bytes)",
  async () => {
    await using peer = openPeer(peerProgram ?? "");
    const answers = bytesToRecord().map(async (one) => ({ one, result: await answerOf(peer, one) }));
    const recorded = await Promise.all(answers);
    writeRecordedBytes(recorded);
    expect(recorded.filter(({ one, result }) => !isDeepStrictEqual(decodeHere(one), result))).toEqual([]);
  },
);
