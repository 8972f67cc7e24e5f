/** Certificates: what each is good for, and when it is to be made anew. */
import { X509Certificate } from "node:crypto";
import { beforeAll, expect, test } from "@jest/globals";
import {
  type Credentials,
  createAuthority,
  isAuthority,
  isGood,
  issueGateway,
  issueOperator,
} from "../../../operator/control/authority.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const DAY = 86_400_000;
const NAME = "core.demo.gateway.knit.dev";
let authority: Credentials;
let gateway: Credentials;

beforeAll(async () => {
  authority = await createAuthority(NOW);
  gateway = await issueGateway(authority, NAME, NOW);
});

test("the root signs and is one; what it signs is not", () => {
  expect(isAuthority(authority)).toBe(true);
  expect(isAuthority(gateway)).toBe(false);
  expect(isAuthority({ certificate: authority.certificate, key: gateway.key })).toBe(false);
  expect([isAuthority({}), isAuthority({ certificate: "x", key: "y" })]).toEqual([false, false]);
});

test("a gateway's certificate is a server's and has one name; the operator's is a client's", async () => {
  const leaf = new X509Certificate(gateway.certificate);
  expect([leaf.ca, leaf.subject, leaf.subjectAltName, leaf.keyUsage]).toEqual([
    false,
    `CN=${NAME}`,
    `DNS:${NAME}`,
    ["1.3.6.1.5.5.7.3.1"],
  ]);
  const operator = new X509Certificate((await issueOperator(authority, NOW)).certificate);
  expect([operator.subject, operator.subjectAltName, operator.keyUsage]).toEqual([
    "CN=knit-operator",
    undefined,
    ["1.3.6.1.5.5.7.3.2"],
  ]);
});

test("a certificate is good until a third of its life is left, for its own name, key and authority", async () => {
  expect(isGood(authority, gateway, NAME, NOW)).toBe(true);
  expect(isGood(authority, gateway, NAME, NOW + 59 * DAY)).toBe(true);
  expect(isGood(authority, gateway, NAME, NOW + 61 * DAY)).toBe(false);
  expect(isGood(authority, gateway, NAME, NOW - DAY)).toBe(false); // issued by a clock that was ahead
  expect(isGood(authority, gateway, `other.${NAME}`, NOW)).toBe(false);
  const second = await issueGateway(authority, NAME, NOW);
  expect(isGood(authority, { certificate: gateway.certificate, key: second.key }, NAME, NOW)).toBe(false);
  expect(isGood(await createAuthority(NOW), gateway, NAME, NOW)).toBe(false);
  for (const broken of [{}, { certificate: "x", key: "y" }, { certificate: gateway.certificate }]) {
    expect(isGood(authority, broken, NAME, NOW)).toBe(false);
  }
});
