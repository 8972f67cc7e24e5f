/** The images: each starts a program that there is, as the user that the pods run as. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pod } from "../../../operator/api/names.ts";
import { readTarget } from "../../cluster/support/dockerfile.ts";

const TEXT = readFileSync("Dockerfile", "utf8");

test.each([
  ["node", pod.program],
  [
    "operator",
    ["node", "--max-semi-space-size=2", "--heap-growing-percent=40", "/app/dist/operator/main.js"],
  ],
])("the target %s starts its program", (target, command) => {
  const { entrypoint, user, directory, copies } = readTarget(TEXT, target);
  expect(entrypoint).toEqual(command);
  expect(existsSync(`${target}/main.ts`)).toBe(true);
  expect([user, directory]).toEqual([`${pod.user}:${pod.user}`, "/app"]);
  expect(copies.map(({ from, destination }) => `${from} ${destination}`)).toEqual([
    "build /app/",
    `${target}-packages /app/node_modules`,
    `build /app/dist/${target}`,
  ]);
});

test("a target that is not there is said", () => {
  expect(() => readTarget(TEXT, "nothing")).toThrow("the Dockerfile has no target nothing");
});
