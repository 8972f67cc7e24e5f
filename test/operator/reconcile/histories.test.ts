/**
 * The whole reconciliation through random histories of a cluster. `KNIT_HISTORIES` is how many there are,
 * `KNIT_HISTORY_SEED` the first seed: a failure prints the seed, and with that variable alone it is repeated.
 */
import { beforeAll, expect, test } from "@jest/globals";
import { createAuthority } from "../../../operator/control/authority.ts";
import type { Authorities } from "../../../operator/control/rotation.ts";
import { History } from "../../support/cluster/history.ts";

const GIVEN = process.env["KNIT_HISTORY_SEED"];
const FIRST = Number(GIVEN ?? 1);
const HISTORIES = GIVEN === undefined ? Number(process.env["KNIT_HISTORIES"] ?? 40) : 1;
const STEPS = 120;

let authorities: Authorities;

beforeAll(async () => {
  const current = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
  authorities = { current, next: undefined, previous: undefined };
});

const RANGE = `${HISTORIES} histories from seed ${FIRST}`;

test(`${RANGE}: no two pods sign with one address, no chain or key is made twice, councils keep their quorum, all converge`, async () => {
  let blocks = 0;
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
    const history = new History(seed, authorities);
    try {
      await history.play(STEPS);
    } catch (error) {
      throw new Error(`repeat it with KNIT_HISTORY_SEED=${seed}`, { cause: error });
    }
    blocks += history.chain.main?.height ?? 0;
  }
  expect(blocks).toBeGreaterThan(HISTORIES);
}, 1_800_000);
