/** Tests of node URLs, accepted and refused as by the Go node. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { formatNodeUrl, parseNodeUrl } from "../../../node/p2p/node-url.ts";

interface Samples {
  readonly nodeUrls: {
    readonly nodeId: string;
    readonly accepted: readonly {
      readonly url: string;
      readonly ip?: string;
      readonly udp?: number;
      readonly tcp?: number;
      readonly tcps?: readonly number[];
      readonly incomplete?: boolean;
    }[];
    readonly rejected: readonly { readonly url: string; readonly error: string }[];
    readonly strings: readonly { udp: number; tcp: number; ip: string; string: string }[];
  };
}

const { nodeUrls } = JSON.parse(
  readFileSync(new URL("../../vectors/network/samples.json", import.meta.url), "utf8"),
) as Samples;
const id = nodeUrls.nodeId;
const refusalOf = (message: unknown) =>
  expect.objectContaining({ name: "P2pError", code: "bad-node-url", message });

describe("what the Go node accepts", () => {
  test.each(nodeUrls.accepted)("$url", ({ url, ip, udp, tcp, tcps, incomplete }) => {
    const parsed = parseNodeUrl(url);
    expect(bareHex(parsed.id)).toBe(id);
    expect(parsed.type).toBe("unknown");
    if (incomplete) {
      expect(parsed).toMatchObject({ host: undefined, tcpPort: 0, udpPort: 0, tcpPorts: [] });
      expect(formatNodeUrl(parsed)).toBe(`kni://${id}`);
    } else if (ip !== undefined) {
      expect(parsed).toMatchObject({ host: ip, tcpPort: tcp, udpPort: udp, tcpPorts: tcps });
      expect(parseNodeUrl(formatNodeUrl(parsed))).toEqual(parsed);
    } else {
      expect(formatNodeUrl(parsed)).toBe(`kni://${id}@node.example.org:52150`);
    }
  });
});

describe("what the Go node refuses, with its text", () => {
  // A name is not looked up before it is dialled.
  const rejected = nodeUrls.rejected.filter(({ error }) => error !== "no such host");
  test.each(rejected)("$url: $error", ({ url, error }) => {
    expect(() => parseNodeUrl(url)).toThrow(refusalOf(expect.stringContaining(error)));
  });

  test.each([
    ["x", 'invalid URL scheme, want "kni"'],
    ["", 'invalid URL scheme, want "kni"'],
    [`0x${id}`, 'invalid URL scheme, want "kni"'],
    ["kni://zz@127.0.0.1:1", "invalid node ID (encoding/hex: invalid byte: U+007A 'z')"],
    ["kni://abc@127.0.0.1:1", "invalid node ID (encoding/hex: odd length hex string)"],
    ["kni://127.0.0.1:1", "does not contain node ID"],
    [`kni://${id}@127.0.0.1`, "invalid port"],
    [`kni://${id}@127.0.0.1:65536`, "invalid port"],
    [`kni://${id}@127.0.0.1:1?discport=65536`, "invalid discport in query"],
    [`kni://${id}@:1`, "lookup : no such host"],
    ["127.0.0.1:1", 'parse "127.0.0.1:1": first path segment in URL cannot contain colon'],
    ["://foo", 'parse "://foo": missing protocol scheme'],
    [`kni://${id}@127.0.0.1:foo`, `parse "kni://${id}@127.0.0.1:foo": invalid port ":foo" after host`],
    ["kni://a\nb@h:1", 'parse "kni://a\\nb@h:1": net/url: invalid control character in URL'],
  ])("%j: %s", (url, message) => {
    expect(() => parseNodeUrl(url)).toThrow(refusalOf(message));
  });
});

test.each(["[fe80::1%eth0]:1", "[fe80::1%25eth0]:1", "fe80::1%a:1"])(
  "an IPv6 address with a zone is refused, which once threw an error of another kind: %s",
  (place) => {
    expect(() => parseNodeUrl(`kni://${id}@${place}`)).toThrow(
      refusalOf(expect.stringContaining("no such host")),
    );
  },
);

test("an id may have 0x in a complete URL, and unknown query keys and types are ignored", () => {
  const url = parseNodeUrl(
    `ENODE://0x${id.toUpperCase()}@host:30303?a=b&ntype=xx&subport=70000&subport=5&discport=`,
  );
  expect(url).toMatchObject({
    host: "host",
    tcpPort: 30303,
    udpPort: 30303,
    tcpPorts: [5, 30303],
    type: "unknown",
  });
  expect(bareHex(url.id)).toBe(id);
});

test("formatting writes subports, discport and ntype in order, and discport always on request", () => {
  const text = `kni://${id}@10.0.0.1:1?subport=2&discport=3&ntype=cn`;
  expect(formatNodeUrl(parseNodeUrl(`enode://${id}@10.0.0.1:1?ntype=cn&discport=3&subport=2`))).toBe(text);
  expect(formatNodeUrl(parseNodeUrl(`kni://${id}@10.0.0.1:1?discport=0`))).toBe(
    `kni://${id}@10.0.0.1:1?discport=0`,
  );
  const plain = parseNodeUrl(`kni://${id}@10.0.0.1:1`);
  expect(formatNodeUrl(plain)).toBe(`kni://${id}@10.0.0.1:1`);
  expect(formatNodeUrl(plain, "always")).toBe(`kni://${id}@10.0.0.1:1?discport=1`);
  for (const { string } of nodeUrls.strings) expect(formatNodeUrl(parseNodeUrl(string))).toBe(string);
});
