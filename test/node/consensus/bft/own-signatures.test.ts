/**
 * Own signatures and those of a second signer, over the simulation of validators: restarts, replays and echoes are
 * never foreign, and whatever the data directory did not sign always is. `KNIT_BFT_SEEDS` is how many runs there are.
 */
import { expect, test } from "@jest/globals";
import {
  OwnSignatures,
  type SignedContent,
  signedContent,
} from "../../../../node/consensus/bft/own-signatures.ts";
import { reservationOf } from "../../../../node/consensus/bft/signing-record.ts";
import { compareViews } from "../../../../node/consensus/bft/view.ts";
import { planOf } from "../../../support/bft/plan.ts";
import type { Validator } from "../../../support/bft/simulated.ts";
import { simulate, type Witness } from "../../../support/bft/simulation.ts";
import { seededRandom } from "../../../support/random.ts";

const SEEDS = Math.ceil(Number(process.env["KNIT_BFT_SEEDS"] ?? 60) / 2);
const FIRST = Number(process.env["KNIT_BFT_SEED"] ?? 0);

const NOTHING = { view: { sequence: 0, round: 0 }, digests: {} };
const KINDS = ["preprepare", "prepare", "commit", "round-change"] as const;
const keyOf = ({ kind, view, digest }: SignedContent): string =>
  `${view.sequence}/${view.round} ${kind} ${digest}`;

/** One directory: what it signed in this life, and everything that it ever sent. */
interface Life {
  own: OwnSignatures;
  signed: Set<string>;
  readonly sent: SignedContent[];
  /** Nothing up to here can be told apart. */
  unknown: SignedContent["view"];
}

/** Judges echoes, replays and forgeries at every step of a run. */
function judging(seed: number) {
  const random = seededRandom(seed ^ 0x70);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const lives = new Map<string, Life>();
  const tally = { echoes: 0, replays: 0, found: 0, seals: 0 };
  const lifeOf = ({ name }: Validator): Life => lives.get(name) as Life; // it has started
  const drawContent = ({ chain }: Validator, { sent }: Life): SignedContent => {
    const view = { sequence: chain.length + upTo(1), round: upTo(3) };
    const digest = random() < 0.5 ? `${view.sequence}:other` : (sent.at(-1 - upTo(8))?.digest ?? "");
    return { kind: KINDS[upTo(3)] ?? "commit", view, digest };
  };
  /** A second signer of the name says anything of this height or the next. */
  const forge = (validator: Validator): void => {
    const life = lifeOf(validator);
    const content = drawContent(validator, life);
    if (compareViews(content.view, life.unknown) <= 0) return;
    expect([content, life.own.isForeign(content)]).toEqual([content, !life.signed.has(keyOf(content))]);
    tally.found++;
  };
  const replay = (validator: Validator): void => {
    const life = lifeOf(validator);
    const content = life.sent[upTo(life.sent.length - 1)];
    if (content === undefined) return;
    expect([content, life.own.isForeign(content)]).toEqual([content, false]);
    tally.replays++;
  };
  const witness: Witness = {
    starts(validator) {
      const { name, disk, chain } = validator;
      const signed = disk?.signed ?? NOTHING;
      const head = { sequence: chain.length - 1, round: Number.MAX_SAFE_INTEGER };
      const own = new OwnSignatures(signed);
      own.raise(head);
      const unknown = compareViews(head, signed.view) < 0 ? signed.view : head;
      lives.set(name, { own, signed: new Set(), sent: lives.get(name)?.sent ?? [], unknown });
    },
    signs(validator, payload) {
      const { own, signed } = lifeOf(validator);
      own.add(signedContent(payload));
      signed.add(keyOf(signedContent(payload)));
    },
    sends: (validator, { payload }) => void lifeOf(validator).sent.push(signedContent(payload)),
    hears(validator, { sender, payload }) {
      if (sender === validator.name) {
        expect(lifeOf(validator).own.isForeign(signedContent(payload))).toBe(false);
        tally.echoes++;
      }
      replay(validator);
      forge(validator);
    },
    commits(validator, { number, hash }, committers) {
      const { own, unknown } = lifeOf(validator);
      const isOwn = { commit: committers.includes(validator.name), preprepare: isMadeBy(hash, validator) };
      for (const kind of ["commit", "preprepare"] as const) {
        if (isOwn[kind]) expect(own.isForeignSeal({ kind, number, hash })).toBe(false);
        const forged = { kind, number, hash: `${hash}'` };
        expect(own.isForeignSeal(forged)).toBe(number > unknown.sequence);
        tally.seals++;
      }
    },
  };
  return { witness, tally };
}

const isMadeBy = (hash: string, { name }: Validator): boolean => hash.includes(`:${name}#`);

test("restarts, replays and echoes are never foreign; what a second signer alone signed always is", () => {
  const sums = { echoes: 0, replays: 0, found: 0, seals: 0, crashes: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { witness, tally } = judging(seed);
    const { traitors: _, ...plan } = planOf(seed, 4);
    const { crashes } = simulate({ ...plan, traitors: new Map(), relays: true }, witness);
    for (const name of Object.keys(tally) as (keyof typeof tally)[]) sums[name] += tally[name];
    sums.crashes += crashes;
  }
  for (const count of Object.values(sums)) expect(count).toBeGreaterThan(SEEDS);
}, 600_000);

test("a recorded view is known by its digests; a reserved one is not known, except that nothing was committed", () => {
  const view = { sequence: 5, round: 1 };
  const own = new OwnSignatures({ view, digests: { prepare: "a", "round-change": "0" } });
  const judged = (kind: SignedContent["kind"], digest: string) => own.isForeign({ kind, view, digest });
  expect([judged("prepare", "a"), judged("prepare", "b"), judged("commit", "a")]).toEqual([
    false,
    true,
    true,
  ]);
  expect(own.isForeign({ kind: "prepare", view: { sequence: 5, round: 0 }, digest: "b" })).toBe(false);
  const reserved = new OwnSignatures(reservationOf(view));
  const kinds = KINDS.map((kind) => reserved.isForeign({ kind, view, digest: "b" }));
  expect(kinds).toEqual([false, false, true, true]);
});

const aCommit = (sequence: number, digest = `${sequence}`): SignedContent => ({
  kind: "commit",
  view: { sequence, round: 0 },
  digest,
});

test("signatures beyond the bound and those of before a rewind are not known, and never foreign", () => {
  const own = new OwnSignatures(NOTHING);
  for (let sequence = 1; sequence <= 5000; sequence++) own.add(aCommit(sequence));
  expect(own.isForeign(aCommit(1, "other"))).toBe(false);
  expect([own.isForeign(aCommit(4999)), own.isForeign(aCommit(4999, "other"))]).toEqual([false, true]);
  expect(own.isForeignSeal({ kind: "commit", number: 4999, hash: "other" })).toBe(true);
  own.rewind();
  expect(own.isForeign(aCommit(4999, "other"))).toBe(false);
  expect(own.isForeign(aCommit(5000, "other"))).toBe(false);
  expect(own.isForeignSeal({ kind: "commit", number: 4999, hash: "other" })).toBe(false);
  expect(own.isForeign(aCommit(5001))).toBe(true);
});
