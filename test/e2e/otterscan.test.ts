/**
 * Otterscan itself in a real Chromium, with a development chain behind it: `KNIT_PEER_OTTERSCAN` is the directory of its
 * built page. With `KNIT_SCREENSHOTS=DIR` it leaves a picture of each view there.
 */
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  getAddress,
  id,
  JsonRpcProvider,
  type TransactionReceipt,
  type TransactionRequest,
  Wallet,
} from "ethers";
import type { Browser, Page } from "puppeteer-core";
import { concatBytes } from "../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { signTransaction } from "../../node/model/transaction.ts";
import { signAsFeePayer } from "../../node/model/transaction-signers.ts";
import { openBrowser } from "../support/browser.ts";
import { answeringCode } from "../support/contract-code.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { assemble } from "../support/evm.ts";
import { call } from "../support/rpc-client.ts";
import { tokenTransfer } from "../support/token.ts";

const DIRECTORY = process.env["KNIT_PEER_OTTERSCAN"] ?? "";
const [otterscan, reason] =
  DIRECTORY === "" ? [test.skip, " (skipped: KNIT_PEER_OTTERSCAN names no page)"] : [test, ""];

/** Media types that a browser insists on. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** Sends its value to the address in its input. */
const FORWARDS = assemble("0 0 0 0 CALLVALUE 0 CALLDATALOAD GAS CALL");
/** Reverts with the reason "no". */
const REVERTS = fromHex("0x62461bcd60e51b60005260206004526002602452616e6f60f01b60445260646000fd");
/** An event that is among the page's assets, and its topic. */
const EVENT = "Transfer(address indexed from,address indexed to,uint256 value)";
const TRANSFER = id("Transfer(address,address,uint256)");
/** A token with two decimals: any other call writes a slot and reports a transfer. */
const TOKEN = concatBytes(
  answeringCode([
    ["name()", textWords("Corn")],
    ["symbol()", textWords("CORN")],
    ["decimals()", [2n]],
    ["totalSupply()", [100_000n]],
  ]).slice(0, -1),
  assemble(
    `36 CALLDATALOAD 4 CALLDATALOAD SSTORE 36 CALLDATALOAD 0 MSTORE 4 CALLDATALOAD CALLER ${TRANSFER} 32 0 LOG3 1 0 MSTORE 32 0 RETURN`,
  ),
);
const DELEGATED_TRANSFER = 0x09;
const NOBODY = "0x00000000000000000000000000000000AaaaAAAa";

/** The words of a text in the contract ABI. */
function textWords(text: string): bigint[] {
  return [32n, BigInt(text.length), BigInt(`0x${Buffer.from(text).toString("hex").padEnd(64, "0")}`)];
}

let node: DevNode;
let provider: JsonRpcProvider;
let wallet: Wallet;
let server: Server;
let browser: Browser;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  if (DIRECTORY === "") return;
  node = await startDevNode("--index.addresses");
  provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1 });
  wallet = new Wallet(fundedKey(node, 0).key, provider);
  server = await serve(DIRECTORY, node.http);
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 900 });
  page.on("pageerror", (error) => errors.push(String(error)));
}, 120_000);

afterAll(async () => {
  if (DIRECTORY === "") return;
  await browser.close();
  server.close();
  provider.destroy();
  await node.knit.stop();
});

/** Serves the page as its image does: each path that is no file is the page, and its settings name the node. */
async function serve(directory: string, erigonURL: string): Promise<Server> {
  const started = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    if (path === "/config.json") {
      response.end(JSON.stringify({ erigonURL, assetsURLPrefix: `http://${request.headers.host}` }));
      return;
    }
    if (/^\/(topic0|signatures)\//.test(path)) {
      const isKnown = path === `/topic0/${TRANSFER.slice(2)}`;
      response.writeHead(isKnown ? 200 : 404).end(isKnown ? EVENT : "");
      return;
    }
    const file = extname(path) === "" ? "index.html" : path;
    readFile(join(directory, file)).then(
      (bytes) =>
        response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return started;
}

/** Opens a view and waits until it shows all texts. Its picture has the name. */
async function view(name: string, path: string, ...texts: readonly string[]): Promise<void> {
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);
  await shows(name, ...texts);
}

/** Waits until the page shows all texts. */
async function shows(name: string, ...texts: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(texts);
  await page
    .waitForFunction(`${wanted}.every((text) => document.body.innerText.includes(text))`, { timeout: 20_000 })
    .catch(async () => expect(await shownText()).toBe(`a page with ${wanted}`));
  const { KNIT_SCREENSHOTS: pictures } = process.env;
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/otterscan-${name}.png`, fullPage: true });
}

async function shownText(): Promise<string> {
  return String(await page.evaluate("document.body.innerText"));
}

/** Sends a transaction that a block has at once, and returns its receipt. */
async function send(request: TransactionRequest): Promise<TransactionReceipt> {
  const { hash } = await wallet.sendTransaction({ gasLimit: 1_000_000n, ...request });
  const receipt = await provider.getTransactionReceipt(hash);
  if (receipt === null) throw new Error(`no block has ${hash}`);
  return receipt;
}

async function deploy(code: Uint8Array): Promise<string> {
  const size = toHex(fixedBytes(code.length, 2)).slice(2);
  const { contractAddress } = await send({
    data: `0x61${size}600e60003961${size}6000f3${toHex(code).slice(2)}`,
  });
  return contractAddress ?? "";
}

otterscan(
  `blocks, transactions, internal transfers, reverts and accounts are shown${reason}`,
  async () => {
    const forwards = await deploy(FORWARDS);
    const reverts = await deploy(REVERTS);
    const to = NOBODY.slice(2).toLowerCase().padStart(64, "0");
    const paid = await send({ to: forwards, value: 7n * 10n ** 18n, data: `0x${to}` });
    const failed = await send({ to: reverts });
    const start = paid.hash.slice(0, 10);

    await view("home", "", "Otterscan", String(failed.blockNumber));
    await view("block", `block/${paid.blockNumber}`, "Block", "1 transaction", "Gas Used");
    await view("block-transactions", `block/${paid.blockNumber}/txs`, start);
    await view("transaction", `tx/${paid.hash}`, "Success", "7 ETH", NOBODY);
    await view("trace", `tx/${paid.hash}/trace`, "fallback", NOBODY.slice(0, 10));
    await view("state-diff", `tx/${paid.hash}/statediff`, NOBODY, wallet.address, "balance");
    await view("reverted", `tx/${failed.hash}`, "Fail", "no", "Show Revert Trace");
    await page.evaluate(
      `[...document.querySelectorAll("button")].find((each) => /Revert Trace/.test(each.innerText)).click()`,
    );
    await shows("revert-trace", "Revert trace:", getAddress(reverts));
    await view("account", `address/${wallet.address}`, start, failed.hash.slice(0, 10));
    await view("recipient", `address/${NOBODY}`, start, "7 ETH");
    await view("contract", `address/${forwards}`, "Contract creator", wallet.address);
    await view("code", `address/${forwards}/contract`, "Contract Bytecode");
    await view("by-nonce", `address/${wallet.address}?nonce=2`, "Success", paid.hash);
    await view("search", `search?q=${paid.hash}`, "Success", paid.hash);
    expect(errors).toEqual([]);
  },
  120_000,
);

otterscan(
  `tokens, logs and transactions of a fee payer are shown${reason}`,
  async () => {
    const token = await deploy(TOKEN);
    const sent = await send({ to: token, data: toHex(tokenTransfer(fromHex(NOBODY), 1500)) });
    await view("token-transfer", `tx/${sent.hash}`, "Success", "Tokens Transferred", "15", "CORN");
    await view("logs", `tx/${sent.hash}/logs`, "Logs (1)", "Corn (CORN)", "Transfer", "1500");
    await view("token-state-diff", `tx/${sent.hash}/statediff`, "storage");
    await view("token", `address/${token}`, "Corn");

    const hash = await sendDelegated();
    await view("delegated", `tx/${hash}`, "Success", NOBODY);
    await view("delegated-trace", `tx/${hash}/trace`, NOBODY.slice(0, 10));
    await view("delegated-state-diff", `tx/${hash}/statediff`, fundedKey(node, 1).address.slice(0, 6));
    const { blockNumber } = (await call(node.http, "eth_getTransactionByHash", hash)) as {
      blockNumber: string;
    };
    await view("delegated-block", `block/${Number(blockNumber)}/txs`, hash.slice(0, 10));
    await view("delegated-account", `address/${wallet.address}`, hash.slice(0, 10));
    expect(errors).toEqual([]);
  },
  120_000,
);

/** Sends a transfer whose fee the second account pays, and returns its hash. */
async function sendDelegated(): Promise<string> {
  const [from, payer] = [fundedKey(node, 0), fundedKey(node, 1)];
  const { chainId } = await provider.getNetwork();
  const draft = {
    code: DELEGATED_TRANSFER,
    nonce: BigInt(await wallet.getNonce()),
    gas: 100_000n,
    gasFeeCap: 50_000_000_000n,
    gasTipCap: 50_000_000_000n,
    to: fromHex(NOBODY),
    value: 3n,
    input: new Uint8Array(0),
    fields: { from: fromHex(from.address) },
  };
  const feePayer = fromHex(payer.address);
  const signed = signTransaction(draft, chainId, (digest) => sign(digest, fromHex(from.key)));
  const both = signAsFeePayer(signed, { feePayer, chainId }, (digest) => sign(digest, fromHex(payer.key)));
  return (await call(node.http, "kaia_sendRawTransaction", toHex(both.raw))) as string;
}
