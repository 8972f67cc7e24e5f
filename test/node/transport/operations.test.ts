/** Tests of the listener for operators: metrics, health, readiness. */
import { expect, test } from "@jest/globals";
import { openOperations, type Readiness } from "../../../node/transport/operations.ts";

const metrics = {
  contentType: "text/plain; version=0.0.4",
  render: async (shown?: string) => `klaytn_x{shown="${shown}"} 1\n`,
};
const place = { host: "127.0.0.1", port: 0, metrics };

test("metrics, health and readiness are told, and the reasons when the node is not ready", async () => {
  let reported: Readiness = { ready: false, reasons: ["starting", "disk-low"] };
  await using listener = await openOperations({ ...place, readiness: () => reported });
  const scraped = await fetch(listener.url);
  expect(await scraped.text()).toBe('klaytn_x{shown="all"} 1\n');
  expect(scraped.headers.get("content-type")).toContain("version=0.0.4");
  const own = await fetch(new URL("/metrics/own", listener.url));
  expect(await own.text()).toBe('klaytn_x{shown="own"} 1\n');
  const ready = new URL("/readyz", listener.url);
  const waiting = await fetch(ready);
  expect([waiting.status, await waiting.json()]).toEqual([503, reported]);
  expect((await fetch(new URL("/healthz", listener.url))).status).toBe(200);
  reported = { ready: true, reasons: ["migrating"] };
  const working = await fetch(ready);
  expect([working.status, await working.json()]).toEqual([200, reported]);
  expect((await fetch(new URL("/other", listener.url))).status).toBe(404);
});

const readiness = (): Readiness => ({ ready: true, reasons: [] });

test("a taken port is refused", async () => {
  await using first = await openOperations({ ...place, readiness });
  const port = Number(new URL(first.url).port);
  await expect(openOperations({ ...place, port, readiness })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
