/** Development chains from npm that Knit is compared with. They are no dependencies: each is installed when asked for. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "./cache.ts";

/** Packages of a peer and the file that shows that they are there, below `node_modules`. */
export interface PeerPackages {
  readonly packages: readonly string[];
  readonly file: string;
}

const PLATFORM = `anvil-${platform()}-${arch() === "x64" ? "amd64" : arch()}`;

/** Ganache's native server wants Node.js 20 at most. */
export const NODE_20 = "node/bin/node";

/** The npm peers. */
export const peerPackages = {
  anvil: {
    packages: ["@foundry-rs/anvil@1.7.1"],
    file: `@foundry-rs/${PLATFORM}/bin/anvil`,
  },
  ganache: { packages: ["ganache@7.9.2", "node@20.19.5"], file: "ganache/dist/node/cli.js" },
  hardhat: { packages: ["hardhat@2.26.3"], file: "hardhat/internal/cli/bootstrap.js" },
} as const satisfies Readonly<Record<string, PeerPackages>>;

/** Directory of npm peers, and permission to install missing ones. */
export interface PeerPlace {
  readonly folder: string;
  readonly mayInstall: boolean;
}

/** `folder` is the cache's own when none is given. */
export async function peerPlace(folder: string | undefined, mayInstall: boolean): Promise<PeerPlace> {
  const place = { folder: folder ?? (await cacheFolder("peers")), mayInstall };
  const manifest = join(place.folder, "package.json");
  if (!mayInstall || existsSync(manifest)) return place;
  await mkdir(place.folder, { recursive: true });
  await writeFile(manifest, '{ "private": true }\n');
  return place;
}

/** The peer's file, installed when that is allowed; undefined when it is not there. */
export function peerFile(place: PeerPlace, { packages, file }: PeerPackages): string | undefined {
  const path = join(place.folder, "node_modules", file);
  if (!existsSync(path) && place.mayInstall) {
    const args = ["install", "--no-audit", "--no-fund", "--prefix", place.folder, ...packages];
    spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  }
  return existsSync(path) ? path : undefined;
}
