/** Tests of the comparison between an object and its draft. */
import { expect, test } from "@jest/globals";
import { containsDraft } from "../../../operator/reconcile/applier.ts";

const LIVE = { a: 1, list: [{ name: "x", filledIn: true }], nested: { b: "c", other: 2 }, empty: {} };

test.each<[string, object]>([
  ["a part of it", { nested: { b: "c" } }],
  ["a list whose items have more", { list: [{ name: "x" }] }],
  ["something empty that is left out", { gone: {}, also: [], nothing: undefined }],
  ["itself", LIVE],
])("%s holds", (_what, wanted) => {
  expect(containsDraft(LIVE, wanted)).toBe(true);
});

test.each<[string, object]>([
  ["another value", { a: 2 }],
  ["a member that is not there", { nested: { d: 1 } }],
  ["a longer list", { list: [{ name: "x" }, { name: "y" }] }],
  ["a shorter list", { list: [] }],
  ["an object for a list", { list: { 0: { name: "x" } } }],
  ["an object for a value", { a: { b: 1 } }],
])("%s does not", (_what, wanted) => {
  expect(containsDraft(LIVE, wanted)).toBe(false);
});
