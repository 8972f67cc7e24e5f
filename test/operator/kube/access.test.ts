/** Tokens and authorities that are kept in files: read again in time, a refused token at once, never half. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { loadAccess } from "../../../operator/kube/access.ts";

let directory: string;
let token: string;
let now: number;
const before = process.env["KUBECONFIG"];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "access-"));
  token = join(directory, "token");
  now = 1_000_000;
  const authority = join(directory, "ca.crt");
  const config = {
    clusters: [
      { name: "c", cluster: { server: "https://127.0.0.1:6443/base/", "certificate-authority": authority } },
    ],
    users: [{ name: "u", user: { "auth-provider": { name: "tokenFile", config: { tokenFile: token } } } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  process.env["KUBECONFIG"] = join(directory, "config");
  writeFileSync(process.env["KUBECONFIG"], JSON.stringify(config));
  writeFileSync(token, "first\n");
  writeFileSync(authority, "an authority");
});
afterEach(() => {
  if (before === undefined) delete process.env["KUBECONFIG"];
  else process.env["KUBECONFIG"] = before;
  rmSync(directory, { recursive: true });
});

test("a token that was changed is used within half a minute", async () => {
  const access = await loadAccess(() => now);
  expect([access.origin, access.prefix]).toEqual(["https://127.0.0.1:6443", "/base"]);
  writeFileSync(token, "second");
  now += 29_000;
  expect(await access.authorization()).toBe("Bearer first");
  now += 1_000;
  expect(await access.authorization()).toBe("Bearer second");
});

test("an authority that was changed is used within half a minute, and is the same object until then", async () => {
  const access = await loadAccess(() => now);
  const first = await access.tls();
  now += 30_000;
  expect(await access.tls()).toBe(first);
  writeFileSync(join(directory, "ca.crt"), "the next");
  now += 30_000;
  expect(String((await access.tls())["ca"])).toBe("the next");
});

test("a token that is refused is read anew, and not for every request", async () => {
  const access = await loadAccess(() => now);
  writeFileSync(token, "second");
  now += 4_000;
  access.reportRefusal();
  expect(await access.authorization()).toBe("Bearer first");
  now += 1_000;
  access.reportRefusal();
  expect(await access.authorization()).toBe("Bearer second");
});

test("a token that cannot be read fails the request, and the next one reads it again", async () => {
  const access = await loadAccess(() => now);
  rmSync(token);
  now += 30_000;
  await expect(access.authorization()).rejects.toMatchObject({ code: "unauthorized" });
  writeFileSync(token, "third");
  expect(await access.authorization()).toBe("Bearer third");
});
