/** The operator's authority: made once, kept, led over to the next in time, and never written over. */
import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import { AuthorityKeeper } from "../../../operator/compose/authority-secret.ts";
import { type Credentials, createAuthority, isAuthority } from "../../../operator/control/authority.ts";
import { trustedCertificates } from "../../../operator/control/rotation.ts";
import { secretText } from "../../../operator/reconcile/secret-text.ts";
import { FakeCluster } from "../../support/fake-cluster.ts";
import { createKeptLog } from "../../support/gateway.ts";

const NAME = "knit-operator-authority";
const DAY = 86_400_000;
let other: Credentials;
let cluster: FakeCluster;
let kept: ReturnType<typeof createKeptLog>;

beforeAll(async () => {
  other = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
});
beforeEach(() => {
  cluster = new FakeCluster(other);
  kept = createKeptLog();
});

function open(): Promise<AuthorityKeeper> {
  return AuthorityKeeper.open({ ...cluster.deps(), namespace: "demo", log: kept.log });
}

test("it is made when there is none, and is the same the next time", async () => {
  using first = await open();
  expect(isAuthority(first.authorities().current)).toBe(true);
  using second = await open();
  expect(second.authorities()).toEqual(first.authorities());
  expect(cluster.writes).toEqual([`create Secret ${NAME}`]);
});

test("of two that make it at once, both have the one that is there", async () => {
  const [first, second] = await Promise.all([open(), open()]);
  expect(first.authorities()).toEqual(second.authorities());
  for (const keeper of [first, second]) keeper[Symbol.dispose]();
});

test.each([
  ["current", { "ca.crt": "x", "ca.key": "no key" }],
  ["next", { "next.crt": "x" }],
])("a Secret whose %s one is none is an error, and stays as it is", async (_which, wrong) => {
  cluster.putSecret(NAME, { "ca.crt": other.certificate, "ca.key": other.key, ...wrong });
  await expect(open()).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("contains no valid authority"),
  });
  expect(cluster.writes).toEqual([]);
});

test("before it ends it is led over to the next: announced, issuing, alone; each step is one write", async () => {
  using keeper = await open();
  const [first, made] = [keeper.authorities(), cluster.now];
  const at = async (days: number): Promise<void> => {
    cluster.now = made + days * DAY;
    await keeper.look();
  };
  await at(3_000);
  expect(keeper.authorities()).toBe(first);
  await at(3_480);
  const announced = keeper.authorities();
  expect(announced.current).toEqual(first.current);
  expect(trustedCertificates(announced)).toBe(first.current.certificate + announced.next?.certificate);
  await at(3_520);
  expect(keeper.authorities()).toMatchObject({
    current: announced.next,
    previous: first.current.certificate,
  });
  await at(3_560);
  expect(keeper.authorities()).toEqual({ current: announced.next, next: undefined, previous: undefined });
  expect(cluster.writes).toEqual([
    `create Secret ${NAME}`,
    ...Array<string>(3).fill(`replace Secret ${NAME}`),
  ]);
  expect(secretText(cluster.get("Secret", NAME), "previous.crt")).toBeUndefined();
});

test("a step that another operator has taken meanwhile is left to it, and read the next time", async () => {
  using keeper = await open();
  using second = await open();
  cluster.now += 3_480 * DAY;
  await Promise.all([keeper.look(), second.look()]);
  expect(kept.lines.map(({ message }) => message).sort()).toEqual([
    "authority rotated",
    "authority secret cannot be read",
  ]);
  await Promise.all([keeper.look(), second.look()]);
  expect(second.authorities()).toEqual(keeper.authorities());
});

test("an authority that was deleted is made anew at the next look", async () => {
  using keeper = await open();
  const before = keeper.authorities();
  cluster.objects.delete(`Secret demo/${NAME}`);
  await keeper.look();
  expect(isAuthority(keeper.authorities().current)).toBe(true);
  expect(keeper.authorities()).not.toEqual(before);
});
