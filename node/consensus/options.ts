/** Options of block production. */
import {
  account,
  choice,
  duration,
  integerKind,
  path,
  secondsKind,
  shortText,
  textKind,
  timerKind,
} from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";
import type { DoppelgangerOptions } from "./bft/doppelganger.ts";

const consensus = optionGroup("Consensus", NODE);

/** Rows of block production. */
export const consensusOptions = {
  rewardbase: consensus({
    flag: "rewardbase",
    kind: account,
    summary: "account that receives the block rewards",
    aliases: ["common.rewardbase"],
    differs: "the node's address by default",
  }),
  intervalMs: consensus({
    flag: "block-generation-interval",
    kind: secondsKind(1),
    default: 1_000,
    summary: "interval between blocks in seconds",
    aliases: ["experimental.block-generation-interval"],
  }),
  timeLimitMs: consensus({
    flag: "block-generation-time-limit",
    kind: duration,
    default: 250,
    summary: "time limit for executing the transactions of a new block",
    aliases: ["experimental.block-generation-time-limit"],
  }),
  doppelganger: consensus({
    flag: "consensus.doppelganger",
    kind: choice(["on", "off"]),
    default: "on",
    summary: "stop signing for good when another node signs with this node's key",
    own: true,
  }),
  listenMs: consensus({
    flag: "consensus.doppelganger-listen",
    kind: timerKind,
    default: 30_000,
    summary: "time to listen for another signer of this key; up to half is added",
    own: true,
  }),
  clear: consensus({
    flag: "consensus.doppelganger-clear",
    kind: textKind,
    summary: "id of another node's signature, from the log; signing resumes",
    own: true,
  }),
  minHeight: consensus({
    flag: "consensus.min-height",
    kind: integerKind(0),
    default: 0,
    summary: "number of a block that this validator's chain must have before it signs",
    own: true,
  }),
  minHeightFile: consensus({
    flag: "consensus.min-height-file",
    kind: path,
    summary: "file with a minimum height, read at start; a missing file sets none",
    own: true,
  }),
  extraData: consensus({
    flag: "extradata",
    kind: shortText(31 /* the last of 32 bytes is the round */),
    summary: "extra data of new blocks; knit's version by default",
    aliases: ["common.block-extra-data"],
    differs: "at most 31 bytes, not 32: the last byte is the round; longer texts are rejected",
  }),
};

/** Block production. */
export interface ConsensusOptions
  extends Omit<ValuesOf<typeof consensusOptions>, "doppelganger" | "listenMs" | "clear"> {
  /** Doppelganger protection; `undefined` for none. */
  readonly doppelganger: DoppelgangerOptions | undefined;
}

/** Groups the options of doppelganger protection. */
export function groupedConsensusOptions({
  doppelganger,
  listenMs,
  clear,
  ...rest
}: ValuesOf<typeof consensusOptions>): ConsensusOptions {
  return { ...rest, doppelganger: doppelganger === "off" ? undefined : { listenMs, clear } };
}
