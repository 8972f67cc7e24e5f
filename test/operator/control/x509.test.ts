/** Certificates as another implementation reads them, and as OpenSSL does. */
import { createPrivateKey, generateKeyPairSync, webcrypto, X509Certificate } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import "reflect-metadata";
import * as other from "@peculiar/x509";
import { createAuthority, isGood, issueGateway, issueOperator } from "../../../operator/control/authority.ts";
import { commonName, signCertificate } from "../../../operator/control/x509.ts";

const NOW = Date.parse("2026-01-01T00:00:00.250Z");
const NAME = "core.demo.gateway.knit.dev";
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

/** An extension as text: its id, whether it is critical, and what it says. */
const extensionsOf = ({ extensions }: other.X509Certificate) =>
  extensions.map(({ type, critical, value }) => [type, critical, Buffer.from(value).toString("hex")]);

async function keyIdentifier(certificate: other.X509Certificate): Promise<string> {
  return Buffer.from(await certificate.publicKey.getKeyIdentifier()).toString("hex");
}

describe("another implementation reads", () => {
  test("a root: its name, life and extensions, and that it signed itself", async () => {
    const { certificate } = await createAuthority(NOW);
    const root = new other.X509Certificate(certificate);
    expect([root.subject, root.issuer]).toEqual(["CN=knit-operator authority", "CN=knit-operator authority"]);
    expect(root.signatureAlgorithm).toMatchObject({ name: "ECDSA", hash: { name: "SHA-256" } });
    expect([root.notBefore.toISOString(), root.notAfter.toISOString()]).toEqual([
      "2025-12-31T23:55:00.000Z",
      "2035-12-30T00:00:00.000Z",
    ]);
    expect(extensionsOf(root)).toEqual([
      ["2.5.29.19", true, "30060101ff020100"],
      ["2.5.29.15", true, "03020106"],
      ["2.5.29.14", false, `0414${await keyIdentifier(root)}`],
    ]);
    expect(await root.verify({ publicKey: root.publicKey, date: new Date(NOW) })).toBe(true);
  });

  test("what it signs: names, uses, who signed, and that it did", async () => {
    const authority = await createAuthority(NOW);
    const root = new other.X509Certificate(authority.certificate);
    const leaves = [await issueGateway(authority, NAME, NOW), await issueOperator(authority, NOW)];
    const [server, client] = leaves.map(({ certificate }) => new other.X509Certificate(certificate));
    const shared = [
      ["2.5.29.19", true, "3000"],
      ["2.5.29.15", true, "03020780"],
      ["2.5.29.35", false, `30168014${await keyIdentifier(root)}`],
    ];
    const dns = `301c821a${Buffer.from(NAME).toString("hex")}`;
    expect(server && extensionsOf(server)).toEqual([
      ...shared,
      ["2.5.29.37", true, "300a06082b06010505070301"],
      ["2.5.29.17", false, dns],
    ]);
    expect(client && extensionsOf(client)).toEqual([
      ...shared,
      ["2.5.29.37", true, "300a06082b06010505070302"],
    ]);
    for (const leaf of [server, client]) {
      expect(await leaf?.verify({ publicKey: root.publicKey, date: new Date(NOW) })).toBe(true);
      expect(leaf?.serialNumber).toMatch(/^[4-7][0-9a-f]{31}$/);
    }
    expect(server?.serialNumber).not.toBe(client?.serialNumber);
  });

  test.each([
    ["2049-12-31T23:59:59.000Z", "170d"],
    ["2050-01-01T00:00:00.000Z", "180f"],
  ])("%s as a time of the kind that its year has", async (time, tag) => {
    const { certificate } = await createAuthority(Date.parse(time) - 3_650 * 86_400_000);
    const root = new other.X509Certificate(certificate);
    expect(root.notAfter.toISOString()).toBe(time);
    const digits = Buffer.from(`${time.slice(tag === "170d" ? 2 : 0, 19).replace(/\D/g, "")}Z`);
    expect(Buffer.from(root.rawData).toString("hex")).toContain(`${tag}${digits.toString("hex")}`);
  });
});

test("an authority of another's making signs under its own name, whatever strings that has", async () => {
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const root = await other.X509CertificateGenerator.createSelfSigned({
    name: "O=Grüße und Welt, CN=old",
    keys,
    signingAlgorithm: SIGNATURE,
    notAfter: new Date(NOW + 9e9),
    extensions: [new other.BasicConstraintsExtension(true, 0, true)],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const pem = {
    certificate: root.toString("pem"),
    key: String(key.export({ format: "pem", type: "pkcs8" })),
  };
  const leaf = await issueGateway(pem, NAME, NOW);
  expect(isGood(pem, leaf, NAME, NOW)).toBe(true);
  const read = new X509Certificate(leaf.certificate);
  expect(read.checkIssued(new X509Certificate(pem.certificate))).toBe(true);
  expect(Buffer.from(new other.X509Certificate(leaf.certificate).issuerName.toArrayBuffer())).toEqual(
    Buffer.from(root.subjectName.toArrayBuffer()),
  );
});

test("a name beyond ASCII is UTF-8", () => {
  const name = new other.Name(commonName("Grüße").toBER());
  expect(name.toString()).toBe("CN=Grüße");
});

test.each([
  ["another curve", generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ["RSA", generateKeyPairSync("rsa", { modulusLength: 1_024 })],
])("a key of %s signs nothing", (_name, { publicKey, privateKey }) => {
  const issuer = commonName("a");
  const content = { issuer, subject: issuer, publicKey, notBefore: NOW, notAfter: NOW, extensions: [] };
  expect(() => signCertificate(content, privateKey)).toThrow("certificates are signed with a P-256 key");
});
