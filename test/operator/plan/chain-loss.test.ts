/** Lost volumes: who may take the chain from the others, and who would begin another one. */
import { expect, test } from "@jest/globals";
import {
  type ChainVolume,
  isEmpty,
  isLost,
  type LossView,
  lossTrouble,
} from "../../../operator/plan/chain-loss.ts";

const FOUR = ["0xa", "0xb", "0xc", "0xd"];
const TEN = "abcdefghij".split("").map((letter) => `0x${letter}`);

test.each<[string, Partial<ChainVolume>, boolean, boolean]>([
  ["the recorded one", {}, false, false],
  ["one whose claim is gone", { isClaimed: false, volume: undefined }, true, true],
  [
    "one that was never there",
    { isClaimed: false, volume: undefined, recorded: undefined, hadBlocks: false },
    false,
    true,
  ],
  ["one whose claim has another volume", { volume: "pv-2" }, true, true],
  ["one whose new claim is not bound", { volume: undefined }, true, true],
  ["one that was not recorded yet", { recorded: undefined }, false, false],
  ["one of a new node", { recorded: undefined, hadBlocks: false }, false, true],
])("%s", (_what, more, lost, empty) => {
  const seen = { isClaimed: true, volume: "pv-1", recorded: "pv-1", hadBlocks: true, ...more };
  expect([isLost(seen), isEmpty(seen)]).toEqual([lost, empty]);
});

test.each<[string, Partial<LossView>, boolean]>([
  ["a sole validator", { validators: ["0xa"] }, true],
  ["a sole validator that is allowed to", { validators: ["0xa"], isAllowed: true }, false],
  ["one of two", { validators: ["0xa", "0xb"] }, false],
  ["both of two", { validators: ["0xa", "0xb"], empty: new Set(["0xa", "0xb"]) }, true],
  ["two of four", { validators: FOUR, empty: new Set(["0xa", "0xb"]) }, false],
  ["three of four", { validators: FOUR, empty: new Set(["0xa", "0xb", "0xc"]) }, true],
  [
    "three of ten with a committee of four",
    { validators: TEN, committee: 4, empty: new Set(TEN.slice(0, 3)) },
    true,
  ],
  [
    "two of ten with a committee of four",
    { validators: TEN, committee: 4, empty: new Set(TEN.slice(0, 2)) },
    false,
  ],
  ["six of ten that all agree", { validators: TEN, empty: new Set(TEN.slice(0, 6)) }, false],
  ["a standby one", { address: "0xe", validators: ["0xa"] }, false],
  ["one whose genesis nobody knows", { validators: undefined }, true],
])("%s asks: %#", (_who, more, asks) => {
  const view = {
    node: "core",
    address: "0xa",
    validators: ["0xa"],
    committee: undefined,
    empty: new Set(["0xa"]),
    isAllowed: false,
  };
  expect(lossTrouble({ ...view, ...more }) !== undefined).toBe(asks);
});
