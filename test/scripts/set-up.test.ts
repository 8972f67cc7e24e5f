/** The scripts that run before there is anything: tried as a person meets them, in directories of their own. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "knit-scripts-"));
  put("package.json", { name: "knit", type: "module" });
  for (const name of ["ensure-installed.js", "launch.js", "knit.js", "knit-operator.js"]) {
    mkdirSync(join(root, "scripts"), { recursive: true });
    copyFileSync(join("scripts", name), join(root, "scripts", name));
  }
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function put(name: string, content: object | string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function run(script: string, environment: Record<string, string> = {}, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", script), ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...environment },
  });
  return { status, stdout, stderr };
}

/** A stand-in for npm that records its calls and runs `body`. */
function npm(body: string): Record<string, string> {
  const log = `import { writeFileSync } from "node:fs";
    writeFileSync("npm-called", JSON.stringify({ args: process.argv.slice(2), omit: process.env.npm_config_omit }));`;
  return { npm_execpath: put("npm-cli.js", `${log}\n${body}`), npm_config_omit: "dev" };
}

/** A program that prints `what` and its arguments. */
function say(what: string): string {
  return `process.stdout.write(${JSON.stringify(what)} + process.argv.slice(2));`;
}

describe("ensure-installed", () => {
  const LOCK = {
    "": { version: "0.1.0" },
    "node_modules/pino": { version: "1.0.0" },
    "node_modules/jest": { version: "2.0.0", dev: true },
    "node_modules/other-platform": { version: "3.0.0", optional: true, os: ["none"] },
  };

  function installed(packages: object): void {
    put("package-lock.json", { packages: LOCK });
    put("node_modules/.package-lock.json", { packages });
    mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
  }

  test("does nothing and says nothing when all that the lock file names is there", () => {
    installed({ "node_modules/pino": { version: "1.0.0" }, "node_modules/jest": { version: "2.0.0" } });
    expect(run("ensure-installed.js", npm("process.exit(9)"))).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test.each([
    ["a package is missing", { "node_modules/pino": { version: "1.0.0" } }, "jest is not at 2.0.0"],
    [
      "a package is of another version",
      { "node_modules/pino": { version: "1.0.1" }, "node_modules/jest": { version: "2.0.0" } },
      "pino is not at 1.0.0",
    ],
  ])("installs when %s, and says why and for what", (_case, packages, reason) => {
    installed(packages);
    const { status, stderr } = run("ensure-installed.js", npm(""));
    expect(status).toBe(0);
    expect(stderr).toContain(`Setting up: ${reason}. Installing 2 packages with npm ci`);
    expect(stderr).toMatch(/Installed in \d+ s\.\n$/);
  });

  test("installs all packages, those for development too, in a fresh clone", () => {
    put("package-lock.json", { packages: LOCK });
    const { status, stderr } = run("ensure-installed.js", npm('process.stdout.write(process.cwd() + "\\n")'));
    expect(status).toBe(0);
    expect(stderr).toContain("the packages are not installed yet");
    expect(JSON.parse(readFileSync(join(root, "npm-called"), "utf8"))).toEqual({
      args: ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=http"],
    });
  });

  test("fails with npm's own reason and leaves the rest of its output out", () => {
    put("package-lock.json", { packages: LOCK });
    const { status, stderr } = run(
      "ensure-installed.js",
      npm(
        'console.error("npm warn old\\nnpm http fetch GET 200 a.tgz\\nnpm error no space left"); process.exit(3)',
      ),
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm ci failed:\nnpm error no space left\n$/);
    expect(stderr).not.toContain("npm warn");
  });
});

test("npm of a Node.js that the packages do not name warns of nothing", () => {
  put("package.json", { name: "knit", version: "1.0.0", dependencies: { newer: "file:newer" } });
  put("newer/package.json", { name: "newer", version: "1.0.0", engines: { node: ">=99" } });
  const env = { PATH: process.env["PATH"], HOME: root };
  const install = () =>
    spawnSync("npm", ["install", "--dry-run", "--offline"], { cwd: root, encoding: "utf8", env });
  expect(install().stderr).toContain("EBADENGINE");
  copyFileSync(".npmrc", join(root, ".npmrc"));
  expect(install()).toMatchObject({ status: 0, stderr: "" });
});

describe("the programs' starters", () => {
  const AT = { build: new Date(2_000_000), older: new Date(1_000_000), newer: new Date(3_000_000) };

  function sources(changedAt: Date): void {
    utimesSync(put("node/main.ts", say("sources ")), changedAt, changedAt);
    utimesSync(join(root, "node"), AT.older, AT.older);
  }

  function build(): void {
    put("dist/node/main.js", say("build "));
    utimesSync(put("dist/built", ""), AT.build, AT.build);
  }

  test("runs the sources when nothing is built, and hands arguments on", () => {
    sources(AT.older);
    expect(run("knit.js", {}, "dev", "--rpc")).toMatchObject({ status: 0, stdout: "sources dev,--rpc" });
  });

  test("runs the build while it is newer than the sources, and the sources after they changed", () => {
    sources(AT.older);
    build();
    expect(run("knit.js").stdout).toBe("build ");
    sources(AT.newer);
    expect(run("knit.js").stdout).toBe("sources ");
  });

  test("runs the build where the sources were not shipped", () => {
    build();
    expect(run("knit.js").stdout).toBe("build ");
  });

  test("starts the operator the same way", () => {
    put("operator/main.ts", say("operator "));
    expect(run("knit-operator.js", {}, "run")).toMatchObject({ status: 0, stdout: "operator run" });
  });

  test("does not run a build that was broken off", () => {
    sources(AT.older);
    put("dist/node/main.js", say("build "));
    expect(run("knit.js").stdout).toBe("sources ");
  });
});

test("the last line of a run counts tests, and suites that cannot be loaded as failures", () => {
  copyFileSync(join("test", "support", "totals-reporter.js"), join(root, "totals-reporter.js"));
  put(
    "one.test.js",
    'test("a", () => {}); test("b", () => { throw new Error("b"); }); test.skip("c", () => {});',
  );
  put("two.test.js", 'require("./missing.js");');
  put(
    "jest.config.js",
    'export default { reporters: ["default", "<rootDir>/totals-reporter.js"], watchman: false };',
  );
  const jest = join(process.cwd(), "node_modules", "jest", "bin", "jest.js");
  const { status, stdout } = spawnSync(process.execPath, [jest], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stdout.endsWith("tests: 1 passed, 2 failed, 1 skipped\n")).toBe(true);
});
