/** The test-bed's builder, with a Go that only notes what it is asked: the real one takes minutes. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const GO = `#!/bin/sh
case $1 in
  env) echo go1.99 ;;
  list) echo v1.99.0 ;;
  build)
    echo "$*" >>"$BUILDS"
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\n' >"$2"
    chmod +x "$2"
    ;;
esac
`;
let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "knit-cluster-"));
  cpSync("test/cluster", join(root, "cluster"), { recursive: true });
  mkdirSync(join(root, "bin"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

/** Runs the script with programs of its own before, or instead of, those of this machine. */
function run(command: string, path: string) {
  const env = {
    PATH: path,
    GOROOT: join(root, "nowhere"),
    CLUSTER_CACHE: join(root, "cache"),
    BUILDS: join(root, "builds"),
  };
  const { status, stderr } = spawnSync(join(root, "cluster", "cluster.sh"), [command], {
    encoding: "utf8",
    env,
  });
  return { status, stderr };
}

test("without Go it is said what is missing, and what for", () => {
  for (const name of ["bash", "env", "dirname"]) {
    const { stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    symlinkSync(stdout.trim(), join(root, "bin", name));
  }
  const stderr = "cluster: no go: the control plane is built from Go modules, which needs Go 1.25 or newer\n";
  for (const command of ["can-build", "build"]) {
    expect(run(command, join(root, "bin"))).toEqual({ status: 1, stderr });
  }
});

test("what is built is kept outside the checkout, and built anew when its sources are others", () => {
  writeFileSync(join(root, "bin", "go"), GO, { mode: 0o755 });
  const build = (): readonly string[] => {
    expect(run("build", `${join(root, "bin")}:${process.env["PATH"]}`)).toMatchObject({ status: 0 });
    return readdirSync(join(root, "cache"));
  };
  const before = readdirSync(join(root, "cluster"), { recursive: true });
  const [first] = build();
  expect(first).toMatch(/^cluster-plain-[0-9a-f]{16}$/);
  expect(build()).toEqual([first]);
  expect(readFileSync(join(root, "builds"), "utf8").trim().split("\n")).toHaveLength(1);
  expect(readdirSync(join(root, "cluster"), { recursive: true })).toEqual(before);
  appendFileSync(join(root, "cluster", "main.go"), "// another\n");
  expect(build()).toHaveLength(2);
  expect(existsSync(join(root, "cache", first ?? ""))).toBe(true);
});
