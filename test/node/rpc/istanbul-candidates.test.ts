/** `istanbul_propose`, `candidates` and `discard`: the operator's candidates, which no block carries. */
import { expect, test } from "@jest/globals";
import type { GovernanceMethodDeps } from "../../../node/presenters/parameters.ts";
import { istanbulMethods } from "../../../node/rpc/istanbul.ts";
import { askRow } from "../../support/ask-row.ts";

const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;

function aNode(): (name: string, ...params: unknown[]) => Promise<unknown> {
  const rows = istanbulMethods({} as GovernanceMethodDeps); // nothing of the chain is read
  return (name, ...params) => askRow(rows, `istanbul_${name}`, ...params);
}

test("candidates are recorded, changed and deleted, and listed by address", async () => {
  const ask = aNode();
  expect(await ask("propose", at(9), true)).toBeNull();
  await ask("propose", at(3), true);
  await ask("propose", at(3), false);
  expect(JSON.stringify(await ask("candidates"))).toBe(`{"${at(3)}":false,"${at(9)}":true}`);
  expect(await ask("discard", at(9))).toBeNull();
  await ask("discard", at(77));
  expect(await ask("candidates")).toEqual({ [at(3)]: false });
});

test("a node does not share its candidates with another", async () => {
  await aNode()("propose", at(1), true);
  expect(await aNode()("candidates")).toEqual({});
});

test("the number of candidates is bounded; recorded ones can still be changed", async () => {
  const ask = aNode();
  for (let name = 0; name < 1024; name++) await ask("propose", at(name), true);
  await expect(ask("propose", at(1024), true)).rejects.toMatchObject({ message: "too many candidates" });
  await ask("propose", at(5), false);
  expect(await ask("candidates")).toMatchObject({ [at(5)]: false });
});

test("proposing and discarding are privileged", () => {
  const rows = istanbulMethods({} as GovernanceMethodDeps); // as above
  const privileges = rows.filter(({ privilege }) => privilege !== undefined).map(({ name }) => name);
  expect(privileges).toEqual(["istanbul_propose", "istanbul_discard"]);
});
