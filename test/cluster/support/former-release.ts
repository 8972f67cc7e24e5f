/** A former release: the repository as it was some commits ago, with a version below every one that is known. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Version of a former release, and the tag of its images. */
export const FORMER_VERSION = "0.0.9";
/** Commits between the former release and this one. */
const COMMITS_AGO = 100;

const former = `HEAD~${process.env["KNIT_FORMER_COMMITS"] ?? COMMITS_AGO}`;

/** Reason that there is no former release here; undefined when there is one. */
export function whyNoFormer(): string | undefined {
  const { status } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${former}^{commit}`]);
  return status === 0 ? undefined : `no git history with ${former}`;
}

/** Writes its files into a directory, with the packages of this checkout. Disposing it deletes the directory. */
export async function checkOutFormer(): Promise<{ readonly directory: string } & Disposable> {
  const directory = await mkdtemp(join(tmpdir(), "knit-former-"));
  const unpack = `git archive ${former} | tar -x -C '${directory}'`;
  const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", unpack], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${unpack}: ${stderr}`);
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  const chart = join(directory, "charts", "knit-operator", "Chart.yaml");
  const text = readFileSync(chart, "utf8").replaceAll(
    /^(version|appVersion):.*$/gm,
    `$1: "${FORMER_VERSION}"`,
  );
  writeFileSync(chart, text);
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}
