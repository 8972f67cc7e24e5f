/** Tests of `knit rpc`. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { text, writtenAs } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { openIpc } from "../../../node/transport/ipc.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { openWs } from "../../../node/transport/ws.ts";
import { fakeShell } from "../../support/shell.ts";
import { anEndpoint, gate, ticker } from "../rpc/fixture.ts";

let directory: string;
const slow = gate("net_slow");
const listeners: Listener[] = [];
let urls: readonly string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-rpc-"));
  const methods = [
    slow.method,
    method({
      name: "net_large",
      summary: "",
      params: {},
      result: writtenAs("object", {}),
      handle: () => '{"price":123456789012345678901234567890,"ratio":0.5,"list":[1]}',
    }),
    method({
      name: "net_echo",
      summary: "",
      params: { said: text },
      result: text,
      handle: ({ said }) => said,
    }),
  ];
  const endpoint = anEndpoint({ methods, subscriptions: ticker().rows });
  const subscriptionLimit = createSubscriptionLimit();
  const local = { host: "127.0.0.1", port: 0, endpoint };
  listeners.push(
    await openIpc({ path: join(directory, "knit.ipc"), endpoint, subscriptionLimit }),
    await openHttp(local),
    await openWs({ ...local, subscriptionLimit }),
  );
  urls = listeners.map(({ url }) => url);
});
afterEach(() => slow.open());
afterAll(async () => {
  for (const listener of listeners) await listener[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function knit(...given: string[]): Promise<Outcome> {
  const fake = fakeShell();
  const code = await runCli(["rpc", ...given], fake.shell);
  return { code, out: fake.out(), err: fake.err() };
}

describe("knit rpc", () => {
  test("asks the node of a data directory over its socket and prints a text bare", async () => {
    expect(await knit("--datadir", directory, "net_version")).toEqual({ code: 0, out: "13408\n", err: "" });
  });

  test("takes a socket or a URL of any kind", async () => {
    for (const url of urls) {
      expect(await knit("--endpoint", url, "chain_blockNumber")).toEqual({ code: 0, out: "0x21\n", err: "" });
    }
  });

  test("prints objects indented, or raw on one line, with every digit", async () => {
    const at = ["--datadir", directory, "net_large"];
    expect((await knit(...at)).out).toBe(
      '{\n  "price": 123456789012345678901234567890,\n  "ratio": 0.5,\n  "list": [\n    1\n  ]\n}\n',
    );
    expect((await knit("--raw", ...at)).out).toBe(
      '{"price":123456789012345678901234567890,"ratio":0.5,"list":[1]}\n',
    );
  });

  test("takes parameters as one array or word by word", async () => {
    const address = `0x${"12".repeat(20)}`;
    for (const params of [
      [address, "latest"],
      [`["${address}","latest"]`],
      [address, '{"blockNumber":"0x1"}'],
    ]) {
      expect(await knit("--datadir", directory, "chain_getBalance", ...params)).toMatchObject({
        code: 0,
        out: "0x5\n",
      });
    }
    expect((await knit("--datadir", directory, "net_echo", "two words")).out).toBe("two words\n");
    expect((await knit("--datadir", directory, "net_echo", '"5"')).out).toBe("5\n");
  });

  test("tells the node's error and exits with 2", async () => {
    expect(await knit("--datadir", directory, "net_nothing")).toEqual({
      code: 2,
      out: "",
      err: "error -32601: the method net_nothing does not exist/is not available\n",
    });
    const number = await knit("--datadir", directory, "net_echo", "5");
    expect(number.err).toBe(
      "error -32602: invalid argument 0: json: cannot unmarshal number into Go value of type string\n" +
        `a text that is JSON needs quotes of its own: '"5"'\n`,
    );
    expect((await knit("--datadir", directory, "net_echo", "[5]")).err).toMatch(/type string\n$/);
  });

  test("answers a subscription's id and ends", async () => {
    expect((await knit("--datadir", directory, "chain_subscribe", "newHeads")).out).toMatch(
      /^0x[0-9a-f]+\n$/,
    );
  });

  test("says where it looked when no node answers, and exits with 1", async () => {
    const nowhere = join(directory, "nowhere");
    expect(await knit("--datadir", nowhere, "net_version")).toEqual({
      code: 1,
      out: "",
      err: `Fatal: no node answers at ${join(nowhere, "knit.ipc")}: no such socket\n`,
    });
    const closed = "http://127.0.0.1:1/";
    expect((await knit("--endpoint", closed, "x_y")).err).toBe(
      `Fatal: no node answers at ${closed}: connection refused\n`,
    );
    expect((await knit("--endpoint", "ftp://127.0.0.1", "x_y")).err).toContain("ftp:// is not supported");
  });

  test("gives up when the answer takes too long", async () => {
    for (const url of urls) {
      const { code, err } = await knit("--timeout", "50ms", "--endpoint", url, "net_slow");
      expect([code, err]).toEqual([1, "Fatal: no answer within 0.05 s\n"]);
    }
    expect((await knit("--timeout", "1000h", "--datadir", directory, "net_version")).out).toBe("13408\n");
  });

  test("says what it got when that is no answer", async () => {
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    const server = createServer((socket) => socket.resume().end(answer));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    expect((await knit("--endpoint", `http://127.0.0.1:${port}`, "x_y")).err).toContain(
      'the answer is not JSON: "hello"',
    );
    server.close();
  });

  test("refuses parameters that are not JSON", async () => {
    expect(await knit("--datadir", directory, "net_echo", "[1,")).toMatchObject({
      code: 1,
      err: "knit: the parameters are not JSON: [1,\n",
    });
  });
});
