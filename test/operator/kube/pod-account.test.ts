/** The account that a pod has: its files and the server's address, and nothing elsewhere. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { podAccount } from "../../../operator/kube/pod-account.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "account-"));
  writeFileSync(join(directory, "ca.crt"), "an authority");
  writeFileSync(join(directory, "token"), "first\n");
  process.env["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
  process.env["KUBERNETES_SERVICE_PORT"] = "6443";
});
afterEach(() => {
  delete process.env["KUBERNETES_SERVICE_HOST"];
  delete process.env["KUBERNETES_SERVICE_PORT"];
  rmSync(directory, { recursive: true });
});

test("the server, and the authority and the token as they are now", async () => {
  const account = await podAccount(directory);
  expect(account?.server).toBe("https://10.96.0.1:6443");
  expect(await account?.proof()).toEqual({ tls: { ca: "an authority" }, authorization: "Bearer first" });
  writeFileSync(join(directory, "token"), "second");
  writeFileSync(join(directory, "ca.crt"), "the next");
  expect(await account?.proof()).toEqual({ tls: { ca: "the next" }, authorization: "Bearer second" });
  rmSync(join(directory, "token"));
  await expect(account?.proof()).rejects.toMatchObject({ code: "ENOENT" });
});

test("an address of IPv6 is one of a URL", async () => {
  process.env["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  expect((await podAccount(directory))?.server).toBe("https://[fd00::1]:6443");
});

test("there is none outside of a pod, nor where it is not mounted", async () => {
  expect(await podAccount(join(directory, "elsewhere"))).toBeUndefined();
  delete process.env["KUBERNETES_SERVICE_HOST"];
  expect(await podAccount(directory)).toBeUndefined();
});
