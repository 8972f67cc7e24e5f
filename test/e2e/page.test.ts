/**
 * The page of a development chain in a real Chromium: each view, a live block, the calls of a failing transaction, and
 * hostile names in an ABI. With `KNIT_SCREENSHOTS=DIR` it leaves a picture of each view there.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import type { Browser, Page } from "puppeteer-core";
import { WebSocket } from "ws";
import { openBrowser } from "../support/browser.ts";
import { caverKaiaClient } from "../support/clients/caver-kaia-client.ts";
import { sendAllTypes } from "../support/clients/kaia-types.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { type KnitProcess, startKnit } from "../support/knit-process.ts";
import { initFrom } from "../support/offline-jobs.ts";
import { call } from "../support/rpc-client.ts";

const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";
const IS_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
const HOSTILE = '<img src=x onerror="document.title=1">';

let node: DevNode;
let provider: JsonRpcProvider;
let wallet: Wallet;
let browser: Browser;
let page: Page;
let folder: string;
const errors: string[] = [];
const asked: string[] = [];

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "knit-page-"));
  node = await startDevNode("--index.addresses");
  provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1 });
  wallet = new Wallet(fundedKey(node, 0).key, provider);
  browser = await openBrowser();
  page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => asked.push(new URL(request.url()).host));
  await page.goto(node.http);
}, 120_000);

afterAll(async () => {
  await browser.close();
  provider.destroy();
  await node.knit.stop();
  rmSync(folder, { recursive: true });
});

/** Opens a view and waits until it shows a text. */
async function view(address: string, text: string): Promise<string> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`);
  const shown = await waitForText(text);
  const { KNIT_SCREENSHOTS: pictures } = process.env;
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${address.split("/")[0]}.png` });
  return shown;
}

function hexOf(text: string): string {
  return `0x${Buffer.from(text).toString("hex")}`;
}

function word(value: number): string {
  return value.toString(16).padStart(64, "0");
}

async function waitForText(text: string): Promise<string> {
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
  return String(await page.evaluate("document.body.innerText"));
}

async function send(request: object): Promise<string> {
  const { hash } = await wallet.sendTransaction({ gasLimit: 500_000n, ...request });
  return hash;
}

async function deploy(code: string): Promise<string> {
  const size = (code.length / 2).toString(16).padStart(4, "0");
  const hash = await send({ data: `0x61${size}600e60003961${size}6000f3${code}` });
  return ((await ask("eth_getTransactionReceipt", hash)) as { contractAddress: string }).contractAddress;
}

test("health checks and clients still get an empty answer, and the policy names the node alone", async () => {
  const check = await fetch(node.http);
  expect([check.status, await check.text()]).toEqual([200, ""]);
  const { headers } = await fetch(node.http, { headers: { accept: "text/html" } });
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self' ws:/,
  );
  expect(policy).not.toContain("unsafe");
});

test("the WebSocket listener takes the origin of the page, and no foreign one", async () => {
  const { port } = new URL(node.http);
  const outcome = (origin: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(node.ws, { origin });
      socket.once("open", () => resolve("open"));
      socket.once("error", (error) => resolve(error.message));
      socket.once("open", () => socket.close());
    });
  expect(await outcome(`http://localhost:${port}`)).toBe("open");
  for (const origin of [`http://example.org:${port}`, "http://127.0.0.1:1", `https://localhost:${port}`])
    expect(await outcome(origin)).toBe("Unexpected server response: 403");
});

test("a new block appears without a reload", async () => {
  await view("blocks", "Newest blocks");
  const hash = await send({ to: NOBODY, value: 1n });
  await waitForText(hash.slice(0, 10));
});

test("the list follows a chain whose blocks come faster than it loads", async () => {
  await view("blocks", "Newest blocks");
  const from = await provider.getBlockNumber();
  const followed = new AbortController();
  const mining = (async () => {
    while (!followed.signal.aborted) await ask("anvil_mine", 5);
  })();
  try {
    await page.waitForFunction(`Number(document.querySelector("td a").textContent) > ${from + 20}`);
  } finally {
    followed.abort();
    await mining;
  }
});

test("a block that does not exist yet is shown once it does, and the search finds hashes of blocks", async () => {
  const next = (await provider.getBlockNumber()) + 1;
  await view(`block/${next}`, "does not exist");
  await ask("evm_mine");
  await waitForText(`Block ${next}`);
  const block = await provider.getBlock(next - 1);
  await page.type('input[name="query"]', block?.hash ?? "");
  await page.keyboard.press("Enter");
  await waitForText(`Block ${next - 1}`);
  await page.type('input[name="query"]', "nonsense");
  await page.keyboard.press("Enter");
  const complaint = 'document.querySelector("input[name=query]").validationMessage';
  await page.waitForFunction(`${complaint} !== ""`);
  await page.evaluate('document.querySelector("input[name=query]").value = ""');
});

test("blocks, accounts and the pool show what the node has", async () => {
  const hash = await send({ to: NOBODY, value: 10n ** 18n });
  const number = await provider.getBlockNumber();
  expect(await view(`block/${number}`, "TxTypeEthereumDynamicFee")).toContain("1 KAIA");
  const account = await view(`account/${NOBODY}`, "Balance");
  expect(account).toContain(hash.slice(0, 18));
  await ask("evm_setAutomine", false);
  const { hash: waiting } = await wallet.sendTransaction({ to: NOBODY, value: 2n, gasLimit: 21_000n });
  await view("pool", waiting);
  await ask("evm_setAutomine", true);
});

test("a failing transaction shows its calls as a tree with gas and the reason", async () => {
  const reverts = await deploy("60006000fd");
  const calls = await deploy(
    `6000600060006000600073${reverts.slice(2)}5af16000600060006000fd`.replace(
      "6000600060006000fd",
      "60006000fd",
    ),
  );
  const hash = await send({ to: calls });
  const text = await view(`tx/${hash}`, "execution reverted");
  expect(text).toContain("failed 0x9");
  await page.waitForSelector(".trace .trace");
  const frames = await page.$$eval(".trace summary", (all) => all.map((each) => each.textContent ?? ""));
  expect(frames).toHaveLength(2);
  expect(frames[1]).toContain(reverts);
  await page.setViewport({ width: 360, height: 800 });
  expect(await page.evaluate(IS_WIDER)).toBe(false);
  await page.setViewport({ width: 800, height: 600 });
});

test("deep and many calls are built when they are opened", async () => {
  const deep = await deploy("60006000600060006000305af100");
  const text = await view(`tx/${await send({ to: deep, gasLimit: 3_000_000n })}`, "Calls");
  expect(text).toContain("successful");
  await page.waitForSelector(".trace .trace");
  const frames = (): Promise<number> => page.$$eval(".trace summary", (all) => all.length);
  const before = await frames();
  expect(before).toBeGreaterThan(4);
  expect(before).toBeLessThan(20);
  await page.evaluate('[...document.querySelectorAll(".trace summary")].at(-1).focus()');
  await page.keyboard.press("Enter");
  await page.waitForFunction(`document.querySelectorAll(".trace summary").length === ${before + 1}`);
  const many = await deploy("60965b6000600060006000600060045af150600190038060025700");
  await view(`tx/${await send({ to: many })}`, "50 more calls");
  await page.evaluate('[...document.querySelectorAll(".trace button")].at(-1).focus()');
  await page.keyboard.press("Enter");
  await page.waitForFunction('document.querySelectorAll(".trace summary").length === 151');
});

test("lists, tuples and texts of an event are decoded, and data that does not fit stays as it is", async () => {
  const point = { name: "point", type: "tuple", components: [{ type: "uint8" }, { type: "bool" }] };
  const inputs = [
    { name: "who", type: "string", indexed: true },
    point,
    { name: "parts", type: "uint256[]" },
    { name: "note", type: "string" },
  ];
  const file = join(folder, "lists.json");
  writeFileSync(
    file,
    JSON.stringify({
      abi: [
        { type: "event", name: "Lists", inputs },
        { type: "event", name: 5 },
      ],
    }),
  );
  const topic = (await ask("web3_sha3", hexOf("Lists(string,(uint8,bool),uint256[],string)"))) as string;
  /** Logs words and a text, with the event's topic and one of zero; its code is 50 bytes. */
  const loggerOf = (words: readonly number[]): string => {
    const data = words.map(word).join("") + Buffer.from("<b>").toString("hex").padEnd(64, "0");
    const size = (data.length / 2).toString(16).padStart(4, "0");
    return `61${size}603260003960007f${topic.slice(2)}61${size}6000a200${data}`;
  };
  await view("abi", "Choose or drop");
  await (await page.waitForSelector('input[type="file"]'))?.uploadFile(file);
  await waitForText("1 events of lists.json are decoded.");
  const text = await view(
    `tx/${await send({ to: await deploy(loggerOf([7, 1, 128, 224, 2, 8, 9, 3])) })}`,
    "Lists(",
  );
  expect(text).toContain(`Lists(who: 0x${word(0)}, point: (7, true), parts: [8, 9], note: "<b>")`);
  const odd = await deploy(loggerOf([7, 1, 128, 9_999, 2, 8, 9, 3]));
  expect(await view(`tx/${await send({ to: odd })}`, "Logs (1)")).not.toContain("Lists(");
});

test("logs are decoded by a given ABI, and hostile names and strings stay text", async () => {
  const abi = [
    { type: "event", name: `Odd${HOSTILE}`, inputs: [{ name: HOSTILE, type: "uint256", indexed: false }] },
  ];
  const file = join(folder, "abi.json");
  writeFileSync(file, JSON.stringify(abi));
  const signature = `Odd${HOSTILE}(uint256)`;
  const topic = (await ask("web3_sha3", `0x${Buffer.from(signature).toString("hex")}`)) as string;
  const logger = await deploy(`602a6000527f${topic.slice(2)}60206000a100`);
  const hash = await send({ to: logger });
  await view("abi", "Choose or drop");
  const input = await page.waitForSelector('input[type="file"]');
  await input?.uploadFile(file);
  await waitForText("1 events of abi.json are decoded.");
  const text = await view(`tx/${hash}`, "Odd");
  expect(text).toContain(`Odd${HOSTILE}(${HOSTILE}: 42)`);
  expect(await page.$$("img")).toHaveLength(0);
  expect(await page.evaluate(IS_WIDER)).toBe(false);
});

test("a transaction of every type shows its fee payer, its ratio and its key", async () => {
  const [sender, payer] = [fundedKey(node, 4), fundedKey(node, 5)];
  const client = caverKaiaClient(node.http, { chainId: 1337, anchors: false });
  const sent = await sendAllTypes(client, sender, payer);
  await client.close();
  expect(sent.size).toBe(18);
  for (const [name, { hash }] of sent) {
    const text = await view(`tx/${hash}`, `TxType${name}`);
    expect([name, text.includes(payer.address)]).toEqual([name, name.startsWith("FeeDelegated")]);
    expect([name, text.includes("30 % by the fee payer")]).toEqual([name, name.endsWith("WithRatio")]);
    expect([name, /\bContract\b/.test(text)]).toEqual([name, name.includes("Deploy")]);
    expect([name, /\bkey\b/.test(text)]).toEqual([name, name.includes("AccountUpdate")]);
  }
  expect(await view(`account/${sender.address}`, "Balance")).toContain('"keyType":2');
});

test("a node without the module admin shows the numbers of its peers alone", async () => {
  expect(await view("peers", "with the module admin")).toMatch(/Total\s+0|total\s+0/);
});

/** Starts a node of a chain with its page; returns the process and its address. */
async function startPeer(type: "proxy" | "endpoint"): Promise<{ knit: KnitProcess; url: string }> {
  const directory = join(folder, type);
  await initFrom(directory, "test/vectors/chains/fork-ladder/genesis.json");
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "admin,eth,net", "--rpc.page"];
  const knit = startKnit(
    "run",
    "--type",
    type,
    "--datadir",
    directory,
    "--port",
    "0",
    "--nodiscover",
    ...rpc,
  );
  const [, url = ""] = await knit.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/);
  return { knit, url };
}

test("peers stand in a graph around the node", async () => {
  const proxy = await startPeer("proxy");
  const endpoint = await startPeer("endpoint");
  const tab = await browser.newPage();
  try {
    const { kni } = (await call(endpoint.url, "admin_nodeInfo")) as { kni: string };
    await call(proxy.url, "admin_addPeer", kni.replace("[::]", "127.0.0.1"));
    await tab.goto(`${proxy.url}/#/peers`);
    await tab.waitForFunction("document.querySelectorAll('svg.graph line').length === 1");
    const texts = "[...document.querySelectorAll('svg.graph text')].map((each) => each.textContent)";
    expect(await tab.evaluate(texts)).toEqual(["this node", expect.stringMatching(/^endpoint [0-9a-f]{8}$/)]);
    const { KNIT_SCREENSHOTS: pictures } = process.env;
    if (pictures !== undefined) await tab.screenshot({ path: `${pictures}/graph.png` });
  } finally {
    await tab.close();
    await endpoint.knit.stop();
    await proxy.knit.stop();
  }
}, 60_000);

test("the console calls a method by the keyboard alone, with the node's own description", async () => {
  await view("console", "Returns the number of the newest block.");
  await page.focus('textarea[name="params"]');
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(`document.querySelector("#answer").textContent.startsWith('"0x')`);
  await page.focus('input[name="query"]');
  await page.keyboard.type("0");
  await page.keyboard.press("Enter");
  await waitForText("Block 0");
});

test("both colour schemes have their own colours", async () => {
  const colours: string[] = [];
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    await view("blocks", "Newest blocks");
    colours.push(String(await page.evaluate("getComputedStyle(document.querySelector('a')).color")));
    const { KNIT_SCREENSHOTS: pictures } = process.env;
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/blocks-${value}.png` });
  }
  expect(new Set(colours).size).toBe(2);
});

test("no request went elsewhere, and the browser reported no error", () => {
  expect([...new Set(asked)]).toEqual([new URL(node.http).host]);
  expect(errors).toEqual([]);
});
