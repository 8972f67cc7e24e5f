/** Tests of recorded connections of Go nodes. */
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { replayConnections } from "../../support/network-vectors.ts";

const FILE = fileURLToPath(new URL("../../vectors/network/connections.json.gz", import.meta.url));

test("recorded connections of Go nodes decrypt, decode and encode to the same bytes", () => {
  const { failures, passed, failed } = replayConnections(FILE);
  expect(failures).toEqual([]);
  expect({ passed, failed }).toEqual({ passed: 100, failed: 0 });
});
