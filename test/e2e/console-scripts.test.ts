/** Tests of scripts of the Go console: contracts, filters, batches, extensions, files. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openExecutor } from "../support/console/console-vectors.ts";
import { COUNTER_ABI, COUNTER_CODE } from "../support/counter-contract.ts";
import { startDevNode } from "../support/dev-node.ts";

const SCRIPT = `
var me = klay.accounts[0];
var receipt = null;
function waitForReceipt(hash) {
  for (var i = 0; i < 100 && !receipt; i++) {
    try { receipt = klay.getTransactionReceipt(hash) } catch (e) { admin.sleep(0.05) }
    if (!receipt) admin.sleep(0.05);
  }
  var found = receipt;
  receipt = null;
  return found;
}
var factory = klay.contract(${JSON.stringify(COUNTER_ABI)});
var hash = klay.sendTransaction({from: me, gas: 1000000, data: factory.getData(7, {data: "${COUNTER_CODE}"})});
var counter = factory.at(waitForReceipt(hash).contractAddress);
`;

test("scripts deploy a contract, call it, find its events, gather calls and add names", async () => {
  const datadir = await mkdtemp(join(tmpdir(), "knit-console-"));
  await writeFile(join(datadir, "counter.js"), SCRIPT);
  const node = await startDevNode("--datadir", datadir, "--extradata", "made by hand");
  try {
    await using executor = await openExecutor({ datadir, ipc: join(datadir, "knit.ipc") }, ["counter.js"]);
    const { execute } = executor;
    expect(await execute("counter.value()")).toBe("7\n");
    expect(await execute("waitForReceipt(counter.set(41, {from: me, gas: 100000})).status")).toBe('"0x1"\n');
    expect(await execute("[counter.value(), counter.value.call({from: me}, 'latest')].join()")).toBe(
      '"41,41"\n',
    );
    expect(await execute("counter.set.getData(1).slice(0, 10)")).toBe('"0x60fe47b1"\n');
    expect(await execute("counter.set()")).toContain(
      "Error: Invalid number of arguments to Solidity function",
    );
    const found = "counter.Changed({by: me}, {fromBlock: 0}).get()";
    expect(await execute(`${found}.map(function (log) { return log.event + log.args.value }).join()`)).toBe(
      '"Changed41"\n',
    );
    expect(await execute("counter.Changed({by: counter.address}, {fromBlock: 0}).get()")).toBe("[]\n");
    expect(await execute("factory.new(1, {from: me, data: '0x', gas: 90000, value: 1})")).toContain(
      "Error: Cannot send value to non-payable constructor",
    );

    await execute("var got = []; var batch = web3.createBatch()");
    await execute("batch.add(klay.getBalance.request(me, 'latest', function (e, r) { got.push(r.gt(0)) }))");
    await execute("batch.add(klay.getBlock.request(99999, false, function (e, r) { got.push(e.message) }))");
    expect(await execute("batch.execute(); got")).toBe(
      '[true, "the block does not exist (block number: 99999)"]\n',
    );
    expect(await execute("klay.getBlockNumber(function (e, n) { got = n > 0 }); got")).toBe("true\n");
    await execute(`web3._extend({property: "mine", methods: [new web3._extend.Method({
      name: "at", call: "klay_getBalance", params: 2,
      inputFormatter: [web3._extend.formatters.inputAddressFormatter, web3._extend.formatters.inputDefaultBlockNumberFormatter],
      outputFormatter: web3._extend.formatters.outputBigNumberFormatter})]})`);
    expect(await execute("web3.mine.at(me).eq(klay.getBalance(me))")).toBe("true\n");

    expect(await execute("web3.toAscii(klay.getBlock(1).extraData.slice(0, 26))")).toBe('"made by hand"\n');
    expect(await execute('loadScript("counter.js"); counter.value()')).toBe("7\n");
    expect(await execute('loadScript("missing.js")')).toMatch(
      /^Error: could not read file missing\.js: ENOENT/,
    );
    expect(await execute("net.version(1)")).toContain("TypeError");
    expect(await execute("debug.getBlockRlp()")).toContain(
      "Error: Invalid number of input parameters to RPC method",
    );
    expect(await execute("typeof process + typeof require + typeof fetch")).toBe(
      '"undefinedundefinedundefined"\n',
    );
  } finally {
    await node.knit.stop();
    await rm(datadir, { recursive: true, force: true });
  }
}, 60_000);
