/** Secrets that a report leaves out, and texts that it keeps. */
import { expect, test } from "@jest/globals";
import { REMOVED, redactObject, redactText } from "../../../operator/kubectl/redact.ts";

const KEY = "0f".repeat(32);

test.each([
  [`nodekey ${KEY}.`, `nodekey ${REMOVED}.`],
  [`"nodekeyhex": "${KEY}"\n"verbosity": 3`, `"nodekeyhex": "${REMOVED}"\n"verbosity": 3`],
  ['"rpc.password": "hunter2"\n"port": 1', `"rpc.password": ${REMOVED}\n"port": 1`],
  ["authorization: Bearer abc.def", `authorization: ${REMOVED}`],
  ["https://user:word@host/path", `https://user:${REMOVED}@host/path`],
  ["-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\nx", `${REMOVED}\nx`],
  ["-----BEGIN PRIVATE KEY-----\nAAAA", REMOVED],
])("%j loses its secret", (text, left) => expect(redactText(text)).toBe(left));

test.each([`block 0x${KEY}`, `kni://${"ab".repeat(64)}@10.0.0.1:32323`, "0123456789abcdef"])(
  "%s stays",
  (text) => expect(redactText(text)).toBe(text),
);

test("values of variables and of members with secret names are removed, references and digests stay", () => {
  const object = {
    env: [{ name: "A", value: "word", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    password: "word",
    settings: { apiKey: "word", verbosity: "3" },
    imagePullSecrets: [{ name: "registry" }],
    nodeKeySecret: { name: "core-key", key: "nodekey" },
    secret: { secretName: "core-nodekey" },
    digest: KEY,
    list: [KEY, 7, null, true],
  };
  expect(redactObject(object)).toEqual({
    ...object,
    env: [{ ...object.env[0], value: REMOVED }],
    password: REMOVED,
    settings: { apiKey: REMOVED, verbosity: "3" },
    list: [REMOVED, 7, null, true],
  });
});

test("JSON within an annotation is looked at by its members", () => {
  const template = JSON.stringify({ env: [{ name: "A", value: "word" }] });
  const left = redactObject({ "knit.dev/template": template });
  expect(left).toEqual({ "knit.dev/template": JSON.stringify({ env: [{ name: "A", value: REMOVED }] }) });
});
