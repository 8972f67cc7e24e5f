/** The place of a temporary chain. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "@jest/globals";
import { type TemporaryPlaceOptions, temporaryPlace } from "../../../node/cli/datadir.ts";

const linux = { host: { platform: "linux" as const }, environment: {}, memoryFiles: process.cwd() };

test("a temporary chain is in memory where there is room", async () => {
  const { bavail, bsize } = statfsSync(process.cwd());
  const hasRoom = bavail * bsize >= 4 * 1024 ** 3;
  expect(await temporaryPlace(linux)).toBe(hasRoom ? process.cwd() : tmpdir());
});

test.each<[string, TemporaryPlaceOptions]>([
  ["on another system", { ...linux, host: { platform: "darwin" } }],
  [
    "in a container with a limit of memory",
    { ...linux, host: { platform: "linux", containerBytes: 2 ** 30 } },
  ],
  ["with a directory of the user's own", { ...linux, environment: { TMPDIR: "/elsewhere" } }],
  ["without such a directory", { ...linux, memoryFiles: "/nowhere" }],
  ["without room in it", { ...linux, memoryFiles: "/proc" }],
])("%s it is among the system's temporary files", async (_, options) => {
  expect(await temporaryPlace(options)).toBe(tmpdir());
});
