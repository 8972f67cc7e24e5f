/** The operator's authority: made once, kept, and never written over. */
import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import { loadOrMakeAuthority } from "../../operator/authority-secret.ts";
import { type Credentials, createAuthority, isAuthority } from "../../operator/control/authority.ts";
import { FakeCluster } from "../support/fake-cluster.ts";

let other: Credentials;
let cluster: FakeCluster;

beforeAll(async () => {
  other = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
});
beforeEach(() => {
  cluster = new FakeCluster(other);
});

function load(): Promise<Credentials> {
  const { client, clock } = cluster.surroundings();
  return loadOrMakeAuthority(client, "demo", clock);
}

test("it is made when there is none, and is the same the next time", async () => {
  const made = await load();
  expect(isAuthority(made)).toBe(true);
  expect(await load()).toEqual(made);
  expect(cluster.writes).toEqual(["create Secret knit-operator-authority"]);
});

test("of two that make it at once, both have the one that is there", async () => {
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toEqual(second);
});

test("a Secret that holds none is an error, and stays as it is", async () => {
  cluster.putSecret("knit-operator-authority", { "ca.crt": other.certificate, "ca.key": "no key" });
  await expect(load()).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("holds no authority"),
  });
  expect(cluster.writes).toEqual([]);
});
