/** Networks of IP addresses, and the rules for relaying addresses (networks/p2p/netutil@v2.2.2). */
import { BlockList, isIPv4 } from "node:net";

/** A set of networks. */
export interface Networks {
  has(ip: string): boolean;
}

/** Parses CIDR ranges such as `10.0.0.0/8` or `fc00::/7`, which the caller has validated. */
export function parseNetworks(ranges: readonly string[]): Networks {
  const held = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix = ""] = range.split("/");
    held.addSubnet(address, Number(prefix), family(address));
  }
  return { has: (ip) => held.check(ip, family(ip)) };
}

/** Creates an address filter for CIDR ranges. Everything is allowed when they are undefined. */
export function createAddressFilter(ranges: readonly string[] | undefined): (ip: string) => boolean {
  if (ranges === undefined) return () => true;
  const networks = parseNetworks(ranges);
  return (ip) => networks.has(ip);
}

function family(ip: string): "ipv4" | "ipv6" {
  return isIPv4(ip) ? "ipv4" : "ipv6";
}

const LOOPBACK = parseNetworks(["127.0.0.0/8", "::1/128"]);

const LAN = parseNetworks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]);

/** Unspecified and multicast addresses, and blocks of the IANA special-purpose registries. */
const NEVER_RELAYED = parseNetworks([
  "0.0.0.0/32",
  "192.0.0.0/29",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "100::/64",
  "2001::/32",
  "2001:2::/48",
  "2001:10::/28",
  "2001:20::/28",
  "2001:db8::/32",
  "2002::/16",
  "ff00::/8",
]);

/** Returns true for addresses of this machine. */
export function isOwnMachine(ip: string): boolean {
  return LOOPBACK.has(ip);
}

/** Returns true for addresses of private networks and of this machine. */
export function isLan(ip: string): boolean {
  return LAN.has(ip);
}

/**
 * Returns true when a node at `sender` may announce one at `ip`. A public node announces no private
 * addresses.
 */
export function mayRelay(sender: string, ip: string): boolean {
  if (NEVER_RELAYED.has(ip)) return false;
  if (LOOPBACK.has(ip)) return LOOPBACK.has(sender);
  return !LAN.has(ip) || LAN.has(sender);
}
