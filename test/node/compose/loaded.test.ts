/** Tests of the modules that the program loads before its first use of them: they make up the start time. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

test("a node's code does not load a fetch client, nor the libraries that its first clients bring in", () => {
  const script = `
    await import("./node/compose/node.ts");
    const loaded = [...process.moduleLoadList, ...Object.keys(process.getBuiltinModule("module")._cache)];
    console.log(JSON.stringify(["undici", "fastify/", "/ws/", "prom-client/"].filter((name) =>
      loaded.some((each) => each.includes(name)))));`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  expect(JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }))).toEqual([]);
});
