/** The readable log of `knit dev --log-requests`: requests, gas, failures and the lines of contracts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Interface } from "ethers";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call } from "../support/rpc-client.ts";

const ABI = new Interface(["function log(string,uint256)", "error Short(uint256 wanted)"]);
/** Passes its input to the console. */
const LOGS = `0x${"11".repeat(20)}`;
const LOGS_CODE = "0x366000600037600060003660006a636f6e736f6c652e6c6f675afa00";
/** Reverts with its input. */
const REVERTS = `0x${"22".repeat(20)}`;
const REVERTS_CODE = "0x366000600037366000fd";

let node: DevNode;
let artifacts = "";
let from = "";

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);

beforeAll(async () => {
  artifacts = mkdtempSync(join(tmpdir(), "knit-artifacts-"));
  writeFileSync(join(artifacts, "Token.json"), JSON.stringify({ abi: JSON.parse(ABI.formatJson()) }));
  node = await startDevNode("--log-requests", "--artifacts", artifacts);
  from = fundedKey(node, 0).address;
  await ask("anvil_setCode", LOGS, LOGS_CODE);
  await ask("anvil_setCode", REVERTS, REVERTS_CODE);
}, 60_000);

afterAll(async () => {
  await node.knit.stop();
  rmSync(artifacts, { recursive: true });
});

test("a transaction is printed with its gas and the lines of contracts, a call with its lines", async () => {
  const data = ABI.encodeFunctionData("log", ["value %s wei", 5n]);
  const hash = await ask("eth_sendTransaction", { from, to: LOGS, data });
  await node.knit.waitFor(
    new RegExp(
      `Transaction: ${String(hash)}\\n  From: +${from}\\n  To: +${LOGS}\\n  Gas used: +\\d+,\\d+\\n  Block: +1\\n  console.log:\\n    value 5 wei\\n`,
    ),
  );
  await ask("eth_call", { from, to: LOGS, data }, "latest");
  await node.knit.waitFor(/eth_call\n {2}console\.log:\n {4}value 5 wei\n/);
});

test("failures are named by the ABI of an artifact", async () => {
  const data = ABI.encodeErrorResult("Short", [7n]);
  await expect(ask("eth_call", { from, to: REVERTS, data }, "latest")).rejects.toMatchObject({ data });
  await node.knit.waitFor(/eth_call\n {2}Error: reverted with Short\(wanted: 7\)\n/);
  await ask("eth_sendTransaction", { from, to: REVERTS, data, gas: "0x186a0" });
  await node.knit.waitFor(/ {2}Gas used: .*\n {2}Block: +2\n {2}Error: +reverted with Short\(wanted: 7\)\n/);
});

test("the log ends and begins by a call, and a batch is printed call by call", async () => {
  await ask("hardhat_setLoggingEnabled", false);
  await ask("eth_gasPrice");
  await ask("anvil_setLoggingEnabled", true);
  const batch = ["net_version", "no_such"].map((method, id) => ({ jsonrpc: "2.0", id, method, params: [] }));
  await fetch(node.http, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(batch),
  });
  await node.knit.waitFor(/net_version\nno_such\n {2}Error: the method no_such does not exist/);
  expect(node.knit.output()).not.toContain("eth_gasPrice");
});
