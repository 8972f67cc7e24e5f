/**
 * Installs what package-lock.json names when it is not there yet, so that `npm start` and `npm test` are
 * all the set-up there is. Runs before the packages do: on any Node.js from 20, with nothing but Node.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = 20;
const LINE_MS = 10_000;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(`installing needs Node.js ${OLDEST_NODE} or newer, this is ${process.version}`);
} else {
  const wanted = packagesOf(join(root, "package-lock.json"));
  const reason = whyInstall(wanted, packagesOf(join(root, "node_modules", ".package-lock.json")));
  if (reason) install(reason, countOf(wanted));
  else provideExec();
}

/**
 * `npm start` begins with the shell's `exec`, so that npm's signals reach the node and not a shell that keeps them. The
 * shell of Windows has no such word; there it is a file among the packages' commands that runs what follows.
 */
function provideExec() {
  if (process.platform === "win32") writeFileSync(join(root, "node_modules", ".bin", "exec.cmd"), "@%*\r\n");
}

/** Returns the reason to install packages; undefined when all that the lock file names are there. */
function whyInstall(wanted, present) {
  if (wanted === undefined) return "package-lock.json cannot be read";
  if (present === undefined) return "the packages are not installed yet";
  for (const [path, { version, optional, devOptional }] of Object.entries(wanted)) {
    if (path === "" || optional || devOptional) continue; // optional ones depend on the platform
    if (present[path]?.version !== version)
      return `${path.replace(/^node_modules\//, "")} is not at ${version}`;
  }
  return existsSync(join(root, "node_modules", ".bin")) ? undefined : "node_modules/.bin is missing";
}

/** The packages of a lock file by path. npm writes the one inside node_modules last, when all is done. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** Returns the number of packages that this platform will fetch. */
function countOf(packages = {}) {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  return entries.filter(([, { os, cpu }]) => fits(os, process.platform) && fits(cpu, process.arch)).length;
}

function fits(list, value) {
  return list === undefined || list.includes(value);
}

function install(reason, total) {
  say(
    `Setting up: ${reason}. Installing ${total} packages with npm ci, Node.js 24 among them; about a minute.`,
  );
  const startedAt = Date.now();
  const output = [];
  const fetched = { count: 0 };
  const npm = startNpm();
  const follow = (text) => {
    for (const line of text.split("\n").filter((each) => each !== "")) {
      if (/^npm (http|info) .*\.tgz/.test(line)) fetched.count += 1;
      else output.push(line);
    }
  };
  npm.stdout.setEncoding("utf8").on("data", follow);
  npm.stderr.setEncoding("utf8").on("data", follow);
  const stopShowing = showProgress(
    () => `${Math.min(fetched.count, total)} of ${total} packages fetched`,
    startedAt,
  );
  npm.on("error", (error) => fail(`npm could not be started: ${error.message}`));
  npm.on("close", (code) => {
    stopShowing();
    if (code === 0) {
      provideExec();
      return say(`Installed in ${seconds(startedAt)}.`);
    }
    const errors = output.filter((line) => line.startsWith("npm error"));
    fail(`npm ci failed:\n${(errors.length > 0 ? errors : output).slice(0, 20).join("\n")}`);
  });
}

/** Under npm its own script is run by this Node; elsewhere npm is looked up on the PATH. */
function startNpm() {
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=http"];
  const script = process.env.npm_execpath;
  const options = { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: childEnvironment() };
  if (script && /\.c?js$/.test(script)) return spawn(process.execPath, [script, ...args], options);
  return spawn("npm", args, { ...options, shell: process.platform === "win32" });
}

/** Settings that would leave out what the tests need do not apply here. */
function childEnvironment() {
  const {
    NODE_ENV: _production,
    npm_config_omit: _omit,
    npm_config_ignore_scripts: _scripts,
    ...rest
  } = process.env;
  return rest;
}

/** One redrawn line on a terminal, a line now and then elsewhere. */
function showProgress(text, startedAt) {
  const terminal = process.stderr.isTTY === true;
  const draw = () =>
    process.stderr.write(
      `${terminal ? "\r" : ""}  ${text()}, ${seconds(startedAt)}${terminal ? "\u001b[K" : "\n"}`,
    );
  const timer = setInterval(draw, terminal ? 200 : LINE_MS);
  return () => {
    clearInterval(timer);
    if (terminal) process.stderr.write("\r\u001b[K");
  };
}

function seconds(startedAt) {
  return `${Math.round((Date.now() - startedAt) / 1000)} s`;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exitCode = 1;
}
