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

test("a release names each base by digest, the one that is the default otherwise", () => {
  const bases = [...TEXT.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, arg = "", name = ""]) => ({ arg, name }));
  expect(bases.length).toBe(2);
  const stages = [...TEXT.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, base = "", stage = ""]) => ({
    base,
    stage,
  }));
  const own = stages.map(({ stage }) => stage);
  const foreign = new Set(stages.map(({ base }) => base).filter((base) => !own.includes(base)));
  expect([...foreign].toSorted()).toEqual(bases.map(({ arg }) => `\${${arg}}`).toSorted());
  const release = readFileSync(".github/workflows/release.yml", "utf8");
  for (const { arg, name } of bases) {
    const [, output] = new RegExp(`${arg}=\\$\\{\\{ steps.bases.outputs.(\\w+) \\}\\}`).exec(release) ?? [];
    expect(release).toContain(` ${output}=${name}${arg === "NODE_FULL" ? " " : ";"}`);
  }
});
