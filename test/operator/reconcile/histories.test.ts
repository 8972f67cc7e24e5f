/**
 * The whole reconciliation through random histories of a cluster. `KNIT_HISTORIES` is how many there are,
 * `KNIT_HISTORY_SEED` the first seed: failures print their seeds, and with that variable alone one is repeated.
 */
import { inspect } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { createAuthority } from "../../../operator/control/authority.ts";
import type { Authorities } from "../../../operator/control/rotation.ts";
import { History } from "../../support/cluster/history.ts";

const GIVEN = process.env["KNIT_HISTORY_SEED"];
const FIRST = Number(GIVEN ?? 1);
const HISTORIES = Number(process.env["KNIT_HISTORIES"] ?? (GIVEN === undefined ? 3 : 1));
const STEPS = 120;
/** Failures after which no further history is played. */
const MAX_FAILURES = 10;

let authorities: Authorities;

beforeAll(async () => {
  const current = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
  authorities = { current, next: undefined, previous: undefined };
});

const RANGE = `${HISTORIES} histories from seed ${FIRST}`;

test(`${RANGE}: no two pods sign with one address, no chain or key is made twice, councils keep their quorum, all converge`, async () => {
  let blocks = 0;
  const failures: string[] = [];
  for (let seed = FIRST; seed < FIRST + HISTORIES && failures.length < MAX_FAILURES; seed++) {
    const history = new History(seed, authorities);
    await history
      .play(STEPS)
      .catch((error: unknown) => failures.push(`KNIT_HISTORY_SEED=${seed}: ${inspect(error)}`));
    blocks += history.chain.main?.height ?? 0;
  }
  expect(failures.join("\n\n")).toBe("");
  expect(blocks).toBeGreaterThan(HISTORIES);
}, 7_200_000);
