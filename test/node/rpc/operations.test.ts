import { expect, test } from "@jest/globals";
import { openOperations } from "../../../node/rpc/operations.ts";

const metrics = { contentType: "text/plain; version=0.0.4", render: async () => "klaytn_x 1\n" };

test("metrics, health and readiness are told, and the reasons when the node is not ready", async () => {
  let reasons: string[] = ["state"];
  await using listener = await openOperations({
    host: "127.0.0.1",
    port: 0,
    metrics,
    notReady: () => reasons,
  });
  const scraped = await fetch(listener.url);
  expect(await scraped.text()).toBe("klaytn_x 1\n");
  expect(scraped.headers.get("content-type")).toContain("version=0.0.4");
  const ready = new URL("/readyz", listener.url);
  const waiting = await fetch(ready);
  expect([waiting.status, await waiting.json()]).toEqual([503, { ready: false, reasons: ["state"] }]);
  reasons = [];
  expect((await fetch(ready)).status).toBe(200);
  expect((await fetch(new URL("/healthz", listener.url))).status).toBe(200);
  expect((await fetch(new URL("/other", listener.url))).status).toBe(404);
});

test("a taken port is refused", async () => {
  await using first = await openOperations({ host: "127.0.0.1", port: 0, metrics, notReady: () => [] });
  const port = Number(new URL(first.url).port);
  await expect(
    openOperations({ host: "127.0.0.1", port, metrics, notReady: () => [] }),
  ).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});
