/** Answers that are written as bytes. */
import { expect, test } from "@jest/globals";
import { ByteCache } from "../../../node/jsonrpc/byte-cache.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { aCall, anEndpoint, aPeer } from "../rpc/fixture.ts";

function post(body: string): string {
  const length = Buffer.byteLength(body);
  return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

test("an answer that is kept as bytes is the same to the peer, alone, among others and in a batch", async () => {
  const kept = new ByteCache();
  const text = `"${"é".repeat(20_000)}"`;
  const long = method({
    name: "net_long",
    summary: "",
    params: {},
    result: { label: "text", schema: {}, encode: () => text },
    handle: () => "",
  });
  const endpoint = anEndpoint({ methods: [long], options: { budget: createBudget({ byteCache: kept }) } });
  await using listener = await openHttp({ host: "127.0.0.1", port: 0, endpoint, virtualHosts: ["*"] });
  const ask = async (body: string): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    return (await fetch(listener.url, { method: "POST", headers, body })).json();
  };
  const [one, other] = [`{"jsonrpc":"2.0","id":"é","method":"net_long"}`, aCall("net_version")];
  const asText = [await ask(one), await ask(`[${one},${other}]`)];
  kept.add(text);
  expect([await ask(one), await ask(`[${one},${other}]`)]).toEqual(asText);
  await using peer = await aPeer(listener.address);
  peer.send(`${post(other)}${post(one)}${post(other)}`);
  const all = await peer.until((got) => got.split("HTTP/1.1 200").length === 4 && got.endsWith('"13408"}\n'));
  const results = all
    .split(/HTTP[^{]*/)
    .slice(1)
    .map((body) => (JSON.parse(body) as { result: string }).result);
  expect(results).toEqual(["13408", JSON.parse(text), "13408"]);
});
