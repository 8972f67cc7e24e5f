/**
 * Recorded transcripts of Go nodes, played against this one: answers are the same byte for byte, but for those
 * in the list of what is not there yet, which may only become shorter.
 */
import { expect, test } from "@jest/globals";
import { readPending, worseThan } from "../support/transcript/pending.ts";
import { playTranscript } from "../support/transcript/play.ts";

const FOLDER = "test/vectors/rpc";
/** All recordings; by default one of each kind. */
const ALL = process.env["KNIT_TRANSCRIPTS"] === "all";
/** Whole transcripts. */
const FILES = ["prague.json.gz", ...(ALL ? ["four-validators.json.gz", "cancun-klaytn112.json.gz"] : [])];
/** Answers of Kaia v2.2.2 about FlexReward: by votes, from block 0, and from Osaka on without its third fund. */
const FLEX_FILES = ["flex-votes.json.gz", ...(ALL ? ["flex-genesis.json.gz", "flex-osaka.json.gz"] : [])];
/** Groups without a single difference. */
const WHOLE = ["http-transport", "ipc-transport", "http-after-restart"];

test.each(FILES)(
  "%s: every answer is the recorded one, or is known not to be yet",
  async (file) => {
    const { verdicts, chainFault } = await playTranscript(`${FOLDER}/${file}`);
    expect(chainFault).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(4_000);
    expect(worseThan(readPending()[file], verdicts)).toEqual([]);
    const wrong = verdicts.filter(({ group, outcome }) => WHOLE.includes(group) && outcome !== "same");
    expect(wrong).toEqual([]);
  },
  300_000,
);

/** Reads of chains of other shapes: forks one after another, no fork at all, all of them with Randao from block 0. */
const OTHER_SHAPES = ALL ? ["fork-ladder", "none", "osaka-randao"] : [];

for (const chain of OTHER_SHAPES) {
  test(`reads of the chain ${chain} are answered as Kaia v2.2.2 does`, async () => {
    const options = { groups: ["chain-reads"] };
    const { verdicts, chainFault } = await playTranscript(`${FOLDER}/${chain}-kaia222.json.gz`, options);
    expect(chainFault).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(1_800);
    expect(verdicts.filter(({ outcome }) => outcome !== "same")).toEqual([]);
  }, 300_000);
}

/**
 * Chains that Go nodes made: votes on every parameter, all forks one after another with Randao and Osaka among them, five
 * validators with all forks and Randao from block 0, Klaytn at Shanghai, and Klaytn through Randao.
 */
const MADE_BY_GO = ALL
  ? [
      "votes-kaia222.json.gz",
      "randao-ladder-kaia222.json.gz",
      "five-randao-kaia222.json.gz",
      "shanghai-klaytn112.json.gz",
      "randao-klaytn112.json.gz",
    ]
  : []; // go-data-transcripts.test.ts plays the second one

for (const file of MADE_BY_GO) {
  test(`${file}: the chain is imported, and reads and traces of it are answered as by the Go node`, async () => {
    const { verdicts, chainFault } = await playTranscript(`${FOLDER}/${file}`);
    expect(chainFault).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(500);
    expect(verdicts.filter(({ outcome }) => outcome !== "same")).toEqual([]);
  }, 120_000);
}

test.each([
  ["generated requests of odd shapes", "shapes-kaia222.json.gz", 450],
  ["bounds of parameters, printed blocks, traced calls and trace options", "arguments-kaia222.json.gz", 180],
  ["subscriptions, polled filters and messages that end a connection", "subscriptions-kaia222.json.gz", 100],
] as const)(
  "%s are answered as Kaia v2.2.2 does",
  async (_about, file, atLeast) => {
    const { verdicts, chainFault } = await playTranscript(`${FOLDER}/${file}`);
    expect(chainFault).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(atLeast);
    expect(verdicts.filter(({ outcome }) => outcome !== "same")).toEqual([]);
  },
  120_000,
);

test.each(FLEX_FILES)(
  "%s: rewards, parameters and stakes at each block are the recorded ones",
  async (file) => {
    const { verdicts, chainFault } = await playTranscript(`${FOLDER}/${file}`);
    expect(chainFault).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(150);
    expect(verdicts.filter(({ outcome }) => outcome !== "same")).toEqual([]);
  },
  120_000,
);
