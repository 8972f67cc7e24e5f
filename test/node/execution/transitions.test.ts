/**
 * State transitions end as the Go node's do: root, status, gas, computation cost, output and logs. The recorded slice
 * has every opcode and precompiled contract at every fork; with a peer program in KNIT_PEER_TRANSITIONS as many random
 * cases as KNIT_TRANSITIONS says are run by both. KNIT_SEED and KNIT_CASE run one case again, made as small as it goes.
 */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { runHere, type TransitionCase } from "../../support/oracle/case.ts";
import { transitionCase } from "../../support/oracle/cases.ts";
import { minimise } from "../../support/oracle/minimise.ts";
import { openPeer, peerProgram, type TransitionPeer, transitionRequest } from "../../support/oracle/peer.ts";
import {
  casesToRecord,
  type RecordedCase,
  readRecorded,
  writeRecorded,
} from "../../support/oracle/recorded.ts";
import { TRANSACTION_FORKS } from "../../support/transaction-differences.ts";

const SEED = Number(process.env["KNIT_SEED"] ?? 0) || randomInt(2 ** 31);
const CASE = process.env["KNIT_CASE"];
const COUNT = Number(process.env["KNIT_TRANSITIONS"] ?? 2000);
/** Cases that are open at the peer at once. */
const BATCH = 200;
/** A case takes some 10 ms on a busy machine. */
const TIMEOUT_MS = 60_000 + 100 * COUNT;

test("every recorded transition ends as in the Go node", () => {
  const cases = readRecorded();
  for (const fork of TRANSACTION_FORKS)
    expect(cases.filter(({ one }) => one.fork === fork).length).toBeGreaterThan(200);
  const different = cases.filter(({ one, result }) => !isDeepStrictEqual(runHere(one), result));
  expect(
    different.slice(0, 3).map(({ one, result }) => ({ one, here: runHere(one), there: result })),
  ).toEqual([]);
});

const [judged, reason] =
  peerProgram === undefined ? [test.skip, " (skipped: KNIT_PEER_TRANSITIONS names no program)"] : [test, ""];

judged(
  `random transitions end as in the peer program${reason}`,
  async () => {
    await using peer = openPeer(peerProgram ?? "");
    const numbers = CASE === undefined ? Array.from({ length: COUNT }, (_, index) => index) : [Number(CASE)];
    const different: number[] = [];
    for (let at = 0; at < numbers.length; at += BATCH) {
      const batch = numbers.slice(at, at + BATCH);
      const found = await Promise.all(batch.map((number) => differs(peer, transitionCase(SEED, number))));
      different.push(...batch.filter((_, index) => found[index]));
    }
    process.stderr.write(
      `transitions: seed ${SEED}, ${numbers.length} cases, ${different.length} different\n`,
    );
    if (different[0] !== undefined) await explain(peer, different[0]);
    expect(different).toEqual([]);
  },
  TIMEOUT_MS,
);

async function differs(peer: TransitionPeer, one: TransitionCase): Promise<boolean> {
  return !isDeepStrictEqual(runHere(one), await peer.ask(transitionRequest(one)));
}

async function explain(peer: TransitionPeer, number: number): Promise<void> {
  const one = await minimise(transitionCase(SEED, number), (smaller) => differs(peer, smaller));
  const there = await peer.ask(transitionRequest(one));
  const shown = JSON.stringify({ one, here: runHere(one), there }, undefined, 2);
  process.stderr.write(`transitions: run again with KNIT_SEED=${SEED} KNIT_CASE=${number}\n${shown}\n`);
}

(process.env["KNIT_RECORD"] === "transitions" ? judged : test.skip)(
  "the slice is recorded again from the peer program (skipped: KNIT_RECORD is not transitions)",
  async () => {
    await using peer = openPeer(peerProgram ?? "");
    const cases = casesToRecord();
    const recorded: RecordedCase[] = [];
    for (const one of cases)
      recorded.push({
        one,
        result: (await peer.ask(transitionRequest(one))) as unknown as RecordedCase["result"],
      });
    writeRecorded(recorded);
    expect(recorded.every(({ one, result }) => isDeepStrictEqual(runHere(one), result))).toBe(true);
  },
);
