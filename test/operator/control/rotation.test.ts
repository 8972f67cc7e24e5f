/** An authority's life, day by day: whoever holds a certificate is believed by all others at every moment. */
import { X509Certificate } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createAuthority } from "../../../operator/control/authority.ts";
import { type Authorities, rotate, trustedCertificates } from "../../../operator/control/rotation.ts";

const DAY = 86_400_000;
const START = Date.parse("2026-01-01T00:00:00Z");

async function begin(): Promise<Authorities> {
  return { current: await createAuthority(START), next: undefined, previous: undefined };
}

test("over thirty years whoever is 25 days late believes whoever issues, and nobody issues at its end", async () => {
  let known = await begin();
  const issuers = new Set<string>();
  const late: string[] = [];
  for (let day = 0; day < 30 * 365; day += 5) {
    const now = START + day * DAY;
    known = await rotate(known, now);
    const { certificate } = known.current;
    issuers.add(certificate);
    late.push(trustedCertificates(known));
    expect((late.length > 5 ? late.shift() : late[0])?.includes(certificate)).toBe(true);
    expect(Date.parse(new X509Certificate(certificate).validTo) - now).toBeGreaterThan(90 * DAY);
  }
  expect(issuers.size).toBe(4);
}, 60_000);

test("when the operator slept through the end, the next one issues at once and the old one is believed still", async () => {
  const known = await begin();
  const now = START + 4_000 * DAY;
  const after = await rotate(known, now);
  expect(after).toMatchObject({ next: undefined, previous: known.current.certificate });
  expect(Date.parse(new X509Certificate(after.current.certificate).validTo)).toBeGreaterThan(now);
  expect(await rotate(after, now + DAY)).toBe(after);
});

test("an authority that a clock far ahead has created is replaced once the clock is right, a little ahead it stays", async () => {
  const known = await begin();
  expect(await rotate(known, START - 1_800_000)).toBe(known);
  const after = await rotate(known, START - 9 * 3_600_000);
  expect(after).toMatchObject({ next: undefined, previous: known.current.certificate });
  expect(Date.parse(new X509Certificate(after.current.certificate).validFrom)).toBeLessThan(
    START - 9 * 3_600_000,
  );
});
